// Package ownfile opens files whose names, folders or contents may come from
// somebody else.
//
// Its law: what is opened is a regular file of bounded size, so nothing waits
// for a pipe or reads a device without an end; and what is trusted or written
// belongs to the user, under no other name.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Why something is not opened.
var (
	errNotRegular = errors.New("it is not a regular file")
	errLink       = errors.New("it is a symbolic link")
	errHardLinked = errors.New("it is a hard link: it has another name too")
	errNotOwn     = errors.New("it belongs to another user")
	errNotFolder  = errors.New("it is not a folder")
	errShared     = errors.New("other users may write to it")
)

// Read reads a regular file that a user names, and follows links to it.
func Read(path string, maxSize int64) ([]byte, error) {
	info, err := os.Stat(path) // to open a device may do something
	if err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return readAll(file, maxSize)
}

// ReadOwn reads a regular file of the user's own, which is no link.
func ReadOwn(path string, maxSize int64) ([]byte, error) {
	file, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return readAll(file, maxSize)
}

func readAll(file *os.File, maxSize int64) (content []byte, err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file.Name(), Err: errNotRegular}
	}
	if err != nil {
		return nil, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && int64(len(content)) > maxSize {
		err = &fs.PathError{Op: "read", Path: file.Name(), Err: fmt.Errorf("it is larger than %d bytes", maxSize)}
	}
	return content, err
}

// Open opens, or with os.O_CREATE creates, a regular file of the user's own,
// which is no link. What is created is readable by the user alone.
func Open(path string, flag int) (*os.File, error) {
	if err := checkOwn(os.Lstat(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	file, err := os.OpenFile(path, flag|noFollow|nonBlocking, 0o600)
	if err != nil {
		return nil, err
	}
	// Another may have come to its place since it was looked at.
	opened, err := file.Stat()
	err = checkOwn(opened, err)
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(path); err == nil && !os.SameFile(opened, named) {
			err = errLink
		}
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return file, nil
}

// checkOwn says why a file is not a regular one of the user's own.
func checkOwn(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		var path *fs.PathError
		if errors.As(err, &path) {
			return path.Err
		}
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !info.Mode().IsRegular():
		return errNotRegular
	case !isOwn(info):
		return errNotOwn
	case isHardLinked(info):
		return errHardLinked
	}
	return nil
}

// CheckFolder says why a folder is not one of the user's own, to which nobody
// else may write.
func CheckFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		err = errLink
	case !info.IsDir():
		err = errNotFolder
	case !isOwn(info):
		err = errNotOwn
	case isShared(info):
		err = errShared
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

package dump

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// container is what the files of a dump are in.
type container string

const (
	folder     container = "folder"
	archive    container = "archive"
	singleFile container = "file"
)

// visitFile is given each file of a dump, with its path in it.
type visitFile func(name string, r io.Reader) error

// readFiles visits the files of a folder, an archive, one file, or standard input where the
// path is "-".
func readFiles(location string, stdin io.Reader, b *budget, visit visitFile) (container, error) {
	if location == "-" {
		return readStream("standard input", stdin, b, visit)
	}
	info, err := os.Stat(location)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return folder, readFolder(location, b, visit)
	}
	f, err := os.Open(location)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	if isZip(f) {
		return archive, readZip(f, info.Size(), b, visit)
	}
	return readStream(filepath.Base(location), f, b, visit)
}

// readFolder visits the regular files below a folder. Links are not followed: they may lead
// anywhere, and the tools that write any (troubleshoot) write them beside the same content.
func readFolder(location string, b *budget, visit visitFile) error {
	root, err := os.OpenRoot(location)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if err := b.takeFile(); err != nil || !isRead(name) {
			return err
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		return visit(name, b.reader(f))
	})
}

func isZip(f io.ReaderAt) bool {
	magic := make([]byte, 4)
	_, err := f.ReadAt(magic, 0)
	return err == nil && string(magic) == "PK\x03\x04"
}

func readZip(f io.ReaderAt, size int64, b *budget, visit visitFile) error {
	if size > b.limit {
		return &limitError{"more bytes than are read", b.limit}
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return truncated(err)
	}
	for _, entry := range z.File {
		name, err := checkPath(entry.Name)
		if err != nil {
			return err
		}
		if err := b.takeFile(); err != nil {
			return err
		}
		if !entry.Mode().IsRegular() || !isRead(name) {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return fmt.Errorf("%q: %w", entry.Name, err)
		}
		if err := visit(name, b.reader(r)); err != nil {
			return truncated(err)
		}
	}
	return nil
}

// readStream visits what can be read from its beginning to its end: an archive, compressed or
// not, or a file of objects.
func readStream(name string, r io.Reader, b *budget, visit visitFile) (container, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	compressed := false
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return "", truncated(err)
		}
		buffered, compressed = bufio.NewReaderSize(z, 1<<16), true
	}
	if magic, _ := buffered.Peek(4); string(magic) == "PK\x03\x04" {
		return "", errors.New("a .zip cannot be read from a stream: save it to a file first")
	}
	if head, _ := buffered.Peek(263); len(head) == 263 && string(head[257:262]) == "ustar" {
		return archive, readTar(buffered, b, visit)
	}
	if err := b.takeFile(); err != nil {
		return "", err
	}
	err := visit(name, b.reader(buffered))
	if compressed {
		err = truncated(err)
	}
	return singleFile, err
}

func readTar(r io.Reader, b *budget, visit visitFile) error {
	t := tar.NewReader(b.reader(r))
	for {
		entry, err := t.Next()
		if errors.Is(err, io.EOF) {
			// What comes behind the last file is read too: it has the checksum of the stream.
			_, err := io.Copy(io.Discard, b.reader(r))
			return truncated(err)
		}
		if err != nil {
			return truncated(err)
		}
		name, err := checkPath(entry.Name)
		if err != nil {
			return err
		}
		if err := b.takeFile(); err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg || !isRead(name) {
			continue
		}
		if err := visit(name, t); err != nil {
			return truncated(err)
		}
	}
}

// truncated says what the errors of a broken archive mean.
func truncated(err error) error {
	var limit *limitError
	if err == nil || errors.As(err, &limit) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || isDamage(err) {
		return fmt.Errorf("the archive is damaged, or was not copied to its end (%w): ask for it again", err)
	}
	return err
}

// isDamage reports whether an archive does not fit its own checksums and headers.
func isDamage(err error) bool {
	for _, damage := range []error{gzip.ErrChecksum, gzip.ErrHeader, tar.ErrHeader, zip.ErrFormat, zip.ErrChecksum} {
		if errors.Is(err, damage) {
			return true
		}
	}
	return false
}

// checkPath is the path of a file in an archive. One that leads out of the archive was not
// written by any tool for dumps.
func checkPath(name string) (string, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(name, "\x00") {
		return "", fmt.Errorf("the archive has a file %q, which leads out of it: no tool for dumps writes that", name)
	}
	return clean, nil
}

// isRead reports whether a file may hold objects, or says something of the dump.
func isRead(name string) bool {
	switch path.Ext(name) {
	case ".json", ".yaml", ".yml":
		return true
	}
	base := path.Base(name)
	return base == "timestamp" || base == "collected.timestamp" || strings.HasSuffix(name, "metadata/version")
}

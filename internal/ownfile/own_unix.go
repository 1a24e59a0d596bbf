//go:build unix

package ownfile

import (
	"io/fs"
	"os"
	"syscall"
)

// How a file is opened that may be a link or a pipe.
const (
	noFollow    = syscall.O_NOFOLLOW
	nonBlocking = syscall.O_NONBLOCK
)

func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func isHardLinked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}

func isShared(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

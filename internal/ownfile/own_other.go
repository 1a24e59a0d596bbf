//go:build !unix

package ownfile

import "io/fs"

// Where links are found by looking before and after a file is opened.
const (
	noFollow    = 0
	nonBlocking = 0
)

// Who owns a file, and who may write to it, is not in its mode here.
func isOwn(fs.FileInfo) bool        { return true }
func isHardLinked(fs.FileInfo) bool { return false }
func isShared(fs.FileInfo) bool     { return false }

package tracer

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// writeMethods are the methods of HTTP with which something is changed, and readMethods the others that may be sent.
var (
	writeMethods = []string{http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodDelete}
	readMethods  = []string{http.MethodGet, http.MethodHead, http.MethodOptions}
)

// call is a system call that may be an effect.
type call struct {
	name string
	// path is the number of the argument that names the file, after the one with the folder that it is relative to; a call
	// without one has an open file as its first argument.
	path int
	// flags is the number of the argument that tells whether the call creates or truncates, or 0 if it always changes something.
	flags int
}

// calls are the system calls with which Go's os and net packages change something, by number.
var calls = map[uint64]call{
	unix.SYS_WRITE:     {name: "write"},
	unix.SYS_PWRITE64:  {name: "pwrite"},
	unix.SYS_FSYNC:     {name: "fsync"},
	unix.SYS_FDATASYNC: {name: "fdatasync"},
	unix.SYS_FTRUNCATE: {name: "ftruncate"},
	unix.SYS_FCHMOD:    {name: "fchmod"},
	unix.SYS_OPENAT:    {name: "open", path: 1, flags: 2},
	unix.SYS_MKDIRAT:   {name: "mkdir", path: 1},
	unix.SYS_UNLINKAT:  {name: "unlink", path: 1},
	unix.SYS_FCHMODAT:  {name: "chmod", path: 1},
	unix.SYS_RENAMEAT:  {name: "rename", path: 3},
	unix.SYS_RENAMEAT2: {name: "rename", path: 3},
	unix.SYS_LINKAT:    {name: "link", path: 3},
	unix.SYS_SYMLINKAT: {name: "symlink", path: 2},
}

// effectOf is what a system call is about to change, if that is in the folder or behind a socket.
func (t *tracer) effectOf(info syscallInfo) (Effect, bool) {
	c, ok := calls[info.number]
	if !ok {
		if !t.isHarmless(info) {
			t.unexpected[fmt.Sprintf("system call %d", info.number)] = true
		}
		return Effect{}, false
	}
	if c.flags != 0 && info.args[c.flags]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
		return Effect{}, false
	}
	e := Effect{Call: c.name, Target: t.target(c, info.args)}
	file, isInFolder := strings.CutPrefix(e.Target, t.Folder)
	switch {
	case strings.HasPrefix(e.Target, "socket:"):
		return t.request(info.args)
	case isInFolder:
		e.Target = file
		if e.Call == "write" {
			e.Data = t.text(info.args[1], info.args[2])
		}
		return e, true
	case c.path == 0 && (info.args[0] <= 2 || strings.HasPrefix(e.Target, "pipe:") || strings.HasPrefix(e.Target, "anon_inode:")):
		return Effect{}, false // its output, and what wakes a thread of its own
	}
	t.unexpected[e.String()+", which is not in the folder"] = true
	return Effect{}, false
}

// target is the file that a system call is about to change.
func (t *tracer) target(c call, args [6]uint64) string {
	if c.path == 0 {
		return t.openFile(args[0])
	}
	path := t.text(args[c.path], maxText)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if descriptor := args[c.path-1]; int32(descriptor) != unix.AT_FDCWD {
		return filepath.Join(t.openFile(descriptor), path)
	}
	folder, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", t.pid)) // a process that is gone has no effects
	return filepath.Join(folder, path)
}

// request is what is sent to a socket. What does not begin with a method is more of the request before.
func (t *tracer) request(args [6]uint64) (Effect, bool) {
	method, rest, _ := strings.Cut(t.text(args[1], args[2]), " ")
	path, _, _ := strings.Cut(rest, " ")
	if slices.Contains(writeMethods, method) || slices.Contains(readMethods, method) {
		t.requests[args[0]] = Effect{Call: method, Target: path}
		return t.requests[args[0]], slices.Contains(writeMethods, method)
	}
	before, ok := t.requests[args[0]]
	if !ok {
		t.unexpected["what is sent to a socket before any request"] = true
	}
	return Effect{Call: "more of " + before.Call, Target: before.Target}, slices.Contains(writeMethods, before.Call)
}

// openFile is what an open file of the process is called.
func (t *tracer) openFile(descriptor uint64) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.pid, descriptor)) // what is not open has no name
	return name
}

// text is a string in the memory of the process, up to its end or to a length.
func (t *tracer) text(address, length uint64) string {
	text, _, _ := bytes.Cut(t.memory(address, length), []byte{0})
	return string(text)
}

// memory is what of the memory of the process can be read, up to a length.
func (t *tracer) memory(address, length uint64) []byte {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", t.pid))
	if err != nil {
		return nil
	}
	defer func() { _ = memory.Close() }() // nothing was written to it
	buffer := make([]byte, min(length, maxText))
	n, _ := memory.ReadAt(buffer, int64(address)) // a string at the end of a page is shorter than the buffer
	return buffer[:n]
}

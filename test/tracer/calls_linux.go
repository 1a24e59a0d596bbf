package tracer

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// writeMethods are the methods of HTTP with which something is changed.
var writeMethods = []string{http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodDelete}

// call is a system call that may be an effect.
type call struct {
	name string
	// path is the number of the argument that names the file; a call without one has an open file as its first argument.
	path int
	// flags is the number of the argument that tells whether the call creates or truncates, or 0 if it always changes something.
	flags int
}

// calls are the system calls with which Go's os and net packages change something, by number.
var calls = map[uint64]call{
	unix.SYS_WRITE:     {name: "write"},
	unix.SYS_WRITEV:    {name: "writev"},
	unix.SYS_PWRITE64:  {name: "pwrite"},
	unix.SYS_SENDTO:    {name: "sendto"},
	unix.SYS_SENDMSG:   {name: "sendmsg"},
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
}

// effect is what the call is about to change, if that is in the folder or behind a socket.
func (c call) effect(t *tracer, args [6]uint64) (Effect, bool) {
	if c.flags != 0 && args[c.flags]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
		return Effect{}, false
	}
	target := t.openFile(args[0])
	if c.path != 0 {
		target = t.text(args[c.path])
	}
	if strings.HasPrefix(target, "socket:") {
		method, rest, _ := strings.Cut(t.text(args[1]), " ")
		path, _, _ := strings.Cut(rest, " ")
		return Effect{Call: method, Target: path}, slices.Contains(writeMethods, method)
	}
	if !strings.HasPrefix(target, t.folder) {
		return Effect{}, false
	}
	return Effect{Call: c.name, Target: strings.TrimPrefix(target, t.folder)}, true
}

// openFile is what an open file of the process is called.
func (t *tracer) openFile(descriptor uint64) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.pid, descriptor)) // what is not open has no name
	return name
}

// text is a string in the memory of the process.
func (t *tracer) text(address uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", t.pid))
	if err != nil {
		return ""
	}
	defer func() { _ = memory.Close() }() // nothing was written to it
	buffer := make([]byte, maxPath)
	n, _ := memory.ReadAt(buffer, int64(address)) // a string at the end of a page is shorter than the buffer
	text, _, _ := bytes.Cut(buffer[:n], []byte{0})
	return string(text)
}

//go:build !amd64

package tracer

import "syscall"

// Other processors keep the number of a system call elsewhere.
const canFault = false

func cancelCall(int) error              { return ErrNoFaults }
func failCall(int, syscall.Errno) error { return ErrNoFaults }

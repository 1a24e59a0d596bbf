package tracer

import "syscall"

// canFault says that a system call can be made to fail.
const canFault = true

// cancelCall makes the system call that a thread has begun one that does not exist.
func cancelCall(thread int) error {
	return changeRegisters(thread, func(r *syscall.PtraceRegs) { r.Orig_rax = ^uint64(0) })
}

// failCall is how the system call ends that a thread was kept from.
func failCall(thread int, errno syscall.Errno) error {
	return changeRegisters(thread, func(r *syscall.PtraceRegs) { r.Rax = -uint64(errno) })
}

func changeRegisters(thread int, change func(*syscall.PtraceRegs)) error {
	var registers syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(thread, &registers); err != nil {
		return err
	}
	change(&registers)
	return syscall.PtraceSetRegs(thread, &registers)
}

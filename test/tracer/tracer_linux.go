// Package tracer ends a program with SIGKILL at any of its effects, or lets that effect fail: an effect is a system call with which
// the program changes a folder or sends a request to a server, in HTTP/1.1 without TLS, that may change something. What a program
// does outside its own memory is a system call, so these are all the points at which a crash can matter: a system call of
// which it is not known whether it is an effect is an error.
package tracer

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// Effect is a system call that changes the folder or sends a request.
type Effect struct {
	// Call is the name of the system call, or the method of the request.
	Call string
	// Target is the file or the path of the request.
	Target string
	// Data is the beginning of what is written to a file.
	Data string
	// Began and Ended are when the system call began and ended, in the order of all that did: 1, 2, 3. One that has not ended has 0.
	Began, Ended int
}

// String is the system call and the file, or the request.
func (e Effect) String() string { return e.Call + " " + e.Target }

// Errors of this machine.
var (
	// ErrNotPermitted says that it lets no process trace another.
	ErrNotPermitted = errors.New("tracing is not permitted here (ptrace)")
	// ErrNoFaults says that it is not known how to let a system call fail on its processor.
	ErrNoFaults = errors.New("no system call can be made to fail on this processor")
)

// Trace is what is done to a program while it runs.
type Trace struct {
	// Folder is what the program may change.
	Folder string
	// Counts, where set, says which effects are counted. All others are left alone.
	Counts func(Effect) bool
	// At is the number of the effect at which the program is killed, from 1. That effect does not happen; all before it did.
	At int
	// Fault, where set, is the error with which that effect fails, once, instead of the program being killed.
	Fault syscall.Errno
}

// Result is what a program did.
type Result struct {
	// Effects are those that had begun and are counted, the last being the one at which the program was killed. Fewer than
	// Trace.At are all there are, and the program has ended by itself.
	Effects []Effect
	// Code is the exit code of a program that has ended by itself.
	Code int
}

// Run runs a program to its end. Its streams must be files.
func (tr Trace) Run(command *exec.Cmd) (Result, error) {
	if tr.Fault != 0 && !canFault {
		return Result{}, ErrNoFaults
	}
	runtime.LockOSThread() // the kernel lets only the thread trace that began to
	defer runtime.UnlockOSThread()
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := command.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) {
			return Result{}, ErrNotPermitted
		}
		return Result{}, fmt.Errorf("starting the program to trace: %w", err)
	}
	t := &tracer{
		Trace: tr, pid: command.Process.Pid, pending: map[int]int{}, requests: map[uint64]Effect{}, unexpected: map[string]bool{},
	}
	if err := t.begin(); err != nil {
		return Result{}, errors.Join(err, command.Process.Kill())
	}
	err := errors.Join(t.follow(), command.Process.Release())
	if len(t.unexpected) > 0 {
		err = errors.Join(err, fmt.Errorf("it is not known whether these are effects: %s", strings.Join(slices.Sorted(maps.Keys(t.unexpected)), ", ")))
	}
	return Result{Effects: t.effects, Code: t.code}, err
}

// tracer follows all threads of one process.
type tracer struct {
	Trace
	pid     int
	effects []Effect
	code    int
	// order counts what has begun and ended.
	order int
	// pending is the effect that a thread is about to have, by its number.
	pending map[int]int
	// requests are the last that were sent, by the socket: a long one takes several system calls.
	requests map[uint64]Effect
	// unexpected are the system calls of which it is not known whether they are effects.
	unexpected map[string]bool
}

// Options of ptrace(2), and flags of waitpid(2), that package syscall does not name.
const (
	optionExitKill    = 0x100000   // PTRACE_O_EXITKILL: the program does not outlive the test
	waitAll           = 0x40000000 // __WALL: threads too
	waitOwn           = 0x20000000 // __WNOTHREAD: not the children of other tests in this process
	getSyscallInfo    = 0x420e     // PTRACE_GET_SYSCALL_INFO
	syscallEntry      = 1          // PTRACE_SYSCALL_INFO_ENTRY
	syscallExit       = 2          // PTRACE_SYSCALL_INFO_EXIT
	syscallStopSignal = syscall.SIGTRAP | 0x80
	traceOptions      = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | optionExitKill
	maxText           = 4096
)

// begin waits for the stop at the start of the program, and lets it run to its first system call.
func (t *tracer) begin() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, waitAll|waitOwn, nil); err != nil {
		return fmt.Errorf("waiting for the traced program to start: %w", err)
	}
	if err := syscall.PtraceSetOptions(t.pid, traceOptions); err != nil {
		return fmt.Errorf("setting the options of the trace: %w", err)
	}
	return syscall.PtraceSyscall(t.pid, 0)
}

// follow handles stops until the process is gone. It waits for its group: this thread may have started programs of other tests
// before, which are theirs to wait for.
func (t *tracer) follow() error {
	for {
		var status syscall.WaitStatus
		thread, err := syscall.Wait4(-t.pid, &status, waitAll|waitOwn, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("waiting for the traced program: %w", err)
		case thread == t.pid && (status.Exited() || status.Signaled()):
			t.code = status.ExitStatus()
			return nil
		case !status.Stopped():
			continue
		}
		if err := t.resume(thread, status); err != nil && !errors.Is(err, syscall.ESRCH) { // it was killed meanwhile
			return fmt.Errorf("resuming the traced program: %w", err)
		}
	}
}

// resume notes what a thread was stopped for, and lets it go on.
func (t *tracer) resume(thread int, status syscall.WaitStatus) error {
	switch signal := status.StopSignal(); signal {
	case syscallStopSignal:
		return t.stopped(thread)
	case syscall.SIGTRAP, syscall.SIGSTOP: // a thread begins
		return syscall.PtraceSyscall(thread, 0)
	default:
		return syscall.PtraceSyscall(thread, int(signal))
	}
}

// syscallInfo is struct ptrace_syscall_info of linux/ptrace.h, for a system call that begins.
type syscallInfo struct {
	op     uint8
	_      [3]uint8
	_      uint32 // the architecture
	_, _   uint64 // where the program is
	number uint64
	args   [6]uint64
}

// stopped handles the beginning or the end of a system call.
func (t *tracer) stopped(thread int) error {
	var info syscallInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return errno
	}
	var err error
	switch info.op {
	case syscallEntry:
		err = t.entered(thread, info)
	case syscallExit:
		err = t.left(thread)
	}
	return errors.Join(err, syscall.PtraceSyscall(thread, 0))
}

// entered handles the beginning of a system call.
func (t *tracer) entered(thread int, info syscallInfo) error {
	effect, ok := t.effectOf(info)
	if !ok || t.Counts != nil && !t.Counts(effect) || t.At > 0 && t.Fault == 0 && len(t.effects) == t.At {
		return nil
	}
	t.order++
	effect.Began = t.order
	t.effects = append(t.effects, effect)
	t.pending[thread] = len(t.effects)
	switch {
	case len(t.effects) != t.At:
		return nil
	case t.Fault != 0:
		return cancelCall(thread)
	}
	return syscall.Kill(t.pid, syscall.SIGKILL)
}

// left handles the end of a system call.
func (t *tracer) left(thread int) error {
	number, ok := t.pending[thread]
	if !ok {
		return nil
	}
	delete(t.pending, thread)
	t.order++
	t.effects[number-1].Ended = t.order
	if number == t.At && t.Fault != 0 {
		return failCall(thread, t.Fault)
	}
	return nil
}

// Package tracer ends a program with SIGKILL at any of its effects: the system calls with which it changes a folder or sends a
// request to a server, in HTTP/1.1 without TLS, that may change something. What a program does outside its own memory is a system
// call, so these are all the points at which a crash can matter.
package tracer

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// Effect is a system call that changes the folder or sends a request.
type Effect struct {
	// Call is the name of the system call, or the method of the request.
	Call string
	// Target is the file or the path of the request.
	Target string
}

// String is the system call and the file, or the request.
func (e Effect) String() string { return e.Call + " " + e.Target }

// ErrNotPermitted says that this machine lets no process trace another.
var ErrNotPermitted = errors.New("tracing is not permitted here (ptrace)")

// Run runs a program that changes the folder, and kills it as it begins its nth effect, which then does not happen; all before
// it did. It returns the effects that had begun, the last being the one at which it was killed; fewer than n are all there are,
// and the program has ended by itself. The streams of the command must be files.
func Run(command *exec.Cmd, folder string, n int) ([]Effect, error) {
	runtime.LockOSThread() // the kernel lets only the thread trace that began to
	defer runtime.UnlockOSThread()
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := command.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) {
			return nil, ErrNotPermitted
		}
		return nil, fmt.Errorf("starting the program to trace: %w", err)
	}
	t := &tracer{pid: command.Process.Pid, folder: folder, killAt: n}
	if err := t.begin(); err != nil {
		return nil, errors.Join(err, command.Process.Kill())
	}
	return t.effects, errors.Join(t.follow(), command.Process.Release())
}

// tracer follows all threads of one process.
type tracer struct {
	pid     int
	folder  string
	killAt  int
	effects []Effect
}

// Options of ptrace(2), and flags of waitpid(2), that package syscall does not name.
const (
	optionExitKill    = 0x100000   // PTRACE_O_EXITKILL: the program does not outlive the test
	waitAll           = 0x40000000 // __WALL: threads too
	waitOwn           = 0x20000000 // __WNOTHREAD: not the children of other tests in this process
	getSyscallInfo    = 0x420e     // PTRACE_GET_SYSCALL_INFO
	syscallEntry      = 1          // PTRACE_SYSCALL_INFO_ENTRY
	syscallStopSignal = syscall.SIGTRAP | 0x80
	traceOptions      = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | optionExitKill
	maxPath           = 4096
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
		if effect, ok := t.effectOf(thread); ok && len(t.effects) < t.killAt {
			t.effects = append(t.effects, effect)
			if len(t.effects) == t.killAt {
				return syscall.Kill(t.pid, syscall.SIGKILL)
			}
		}
		return syscall.PtraceSyscall(thread, 0)
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

// effectOf is the effect that a thread is about to have, if it is one.
func (t *tracer) effectOf(thread int) (Effect, bool) {
	var info syscallInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info.op != syscallEntry {
		return Effect{}, false
	}
	call, ok := calls[info.number]
	if !ok {
		return Effect{}, false
	}
	return call.effect(t, info.args)
}

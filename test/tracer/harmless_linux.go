package tracer

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// harmless are system calls of the Go runtime and of its packages that change nothing outside the process: what is read, memory,
// threads, signals, time, and sockets before anything is sent.
var harmless = []uint64{
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_LSEEK, unix.SYS_GETDENTS64, unix.SYS_READLINKAT,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_GETCWD, unix.SYS_FCNTL, unix.SYS_IOCTL, unix.SYS_STATFS,
	unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_MINCORE,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETTID, unix.SYS_GETPID, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL, unix.SYS_RESTART_SYSCALL,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_SETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE,
	unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_PRCTL, unix.SYS_PRLIMIT64, unix.SYS_UNAME, unix.SYS_GETRANDOM,
	unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_SETSOCKOPT, unix.SYS_GETSOCKOPT, unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME,
	unix.SYS_RECVFROM, unix.SYS_RECVMSG,
}

// isHarmless reports whether a system call changes nothing outside the process.
func (t *tracer) isHarmless(info syscallInfo) bool {
	switch info.number {
	case unix.SYS_MMAP: // what is written to memory that is shared is written to the file
		return info.args[3]&unix.MAP_SHARED == 0 || info.args[2]&unix.PROT_WRITE == 0
	case unix.SYS_CLONE: // a process of its own would not be traced
		return info.args[0]&unix.CLONE_THREAD != 0
	case unix.SYS_CLONE3:
		flags := t.memory(info.args[0], 8)
		return len(flags) == 8 && binary.NativeEndian.Uint64(flags)&unix.CLONE_THREAD != 0
	}
	return slices.Contains(harmless, info.number) || slices.Contains(harmlessHere, info.number)
}

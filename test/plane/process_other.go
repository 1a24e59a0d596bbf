//go:build !linux

package plane

import (
	"bytes"
	"os/exec"
	"strconv"
	"syscall"
)

// attributes put a part out of reach of the terminal's ^C, so that it is stopped in order. Only Linux can also tie its
// life to this process: elsewhere a killed test leaves its plane behind.
func attributes(detached bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: detached, Setpgid: !detached}
}

// runs tells whether the process is there and has word on its command line.
func runs(pid int, word string) bool {
	line, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && bytes.Contains(line, []byte(word))
}

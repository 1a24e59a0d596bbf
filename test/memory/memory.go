// Package memory measures the memory of processes that tests start.
package memory

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Watch looks at a process every few milliseconds until it is told to stop, and returns the most memory that it has held,
// in bytes. What the kernel says at the end (ru_maxrss) counts the memory of whoever started the process too.
func Watch(pid int, stop <-chan struct{}) int64 {
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	var most int64
	for {
		select {
		case <-stop:
			return most
		case <-tick.C:
			most = max(most, Peak(pid))
		}
	}
}

// Peak is the most memory that a process has held, zero where there is no /proc.
func Peak(pid int) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

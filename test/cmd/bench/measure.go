package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/memory"
)

// shell runs what is more than one program.
const shell = "sh"

// sample is what one run of a program took.
type sample struct {
	wall  time.Duration // from its start to its end
	first time.Duration // to when it said that something is being deleted, zero if it did not
	cpu   time.Duration // of the program itself
	rss   int64         // the most memory that it held, in bytes; zero where that cannot be seen
}

// measure runs a program to its end.
func measure(ctx context.Context, env []string, argv ...string) (sample, error) {
	return measureTo(ctx, io.Discard, env, argv...)
}

// measureTo is measure, with what the program prints.
func measureTo(ctx context.Context, to io.Writer, env []string, argv ...string) (sample, error) {
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	command.Env = env
	var complaint strings.Builder
	command.Stderr = &complaint
	pipe, err := command.StdoutPipe()
	if err != nil {
		return sample{}, fmt.Errorf("connecting to %s: %w", argv[0], err)
	}
	out := io.TeeReader(pipe, to)
	begun := time.Now()
	if err := command.Start(); err != nil {
		return sample{}, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	stop := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- memory.Watch(command.Process.Pid, stop) }()
	var s sample
	s.first = waitForFirst(out, begun)
	_, _ = io.Copy(io.Discard, out)
	err = command.Wait()
	s.wall = time.Since(begun)
	close(stop)
	s.rss = <-peak
	if err != nil {
		return s, fmt.Errorf("running %s: %w: %s", strings.Join(argv, " "), err, lastLine(complaint.String()))
	}
	s.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok && argv[0] == shell {
		s.rss = usage.Maxrss << 10 // of whatever it ran
	}
	return s, nil
}

// deletingPattern is what `list` says at a terminal as soon as it has found something.
var deletingPattern = regexp.MustCompile(`[1-9]\d* objects being deleted`)

// waitForFirst reads what a program prints until it has found something.
func waitForFirst(out io.Reader, begun time.Time) time.Duration {
	var said []byte
	buffer := make([]byte, 4096)
	for {
		n, err := out.Read(buffer)
		said = append(said, buffer[:n]...)
		switch {
		case deletingPattern.Match(said):
			return time.Since(begun)
		case err != nil:
			return 0
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// median is the middle one of what the samples have.
func median[T int64 | time.Duration | float64, S any](samples []S, of func(S) T) T {
	if len(samples) == 0 {
		return 0
	}
	values := make([]T, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

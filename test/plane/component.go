package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopGrace is what a part gets to end in good order. Nothing of a plane is worth waiting longer for. What is killed ends
// by itself, sooner or later.
const (
	stopGrace = 5 * time.Second
	killGrace = startTimeout
)

// component is one program of the plane.
type component struct {
	name     string
	program  string
	flags    []string
	dir      string
	log      string
	detached bool

	mu        sync.Mutex // guards what follows
	process   *os.Process
	ended     chan struct{} // closed when the process has ended; nil as long as it was never started
	shouldRun bool          // it was started and nobody has asked it to end
}

// start starts the program, in a goroutine that keeps its thread until the program has ended: the kernel tells a child
// that its parent has died when the thread that started it ends, not when the process does.
func (p *component) start(ctx context.Context) error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log of %s: %w", p.name, err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	command := exec.CommandContext(context.WithoutCancel(ctx), p.program, p.flags...)
	command.Dir, command.Stdout, command.Stderr = p.dir, log, log
	command.SysProcAttr = processAttributes(p.detached)
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // how it ended is in its log
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process, p.ended, p.shouldRun = command.Process, ended, true
	return nil
}

// running is the part's process, or nil if it was never started or has ended.
func (p *component) running() *os.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	default:
		return p.process
	}
}

// hasDied tells whether the program has ended although nobody asked it to.
func (p *component) hasDied() bool {
	dead := p.running() == nil
	p.mu.Lock()
	defer p.mu.Unlock()
	return dead && p.shouldRun
}

// stop ends the program, by force if it does not end by itself.
func (p *component) stop() error {
	process := p.running()
	p.mu.Lock()
	p.shouldRun = false
	p.mu.Unlock()
	if process == nil {
		return nil
	}
	if err := terminate(process, p.ended); err != nil {
		return fmt.Errorf("stopping %s: %w", p.name, err)
	}
	return nil
}

// terminate asks a process to end and kills it after a grace; ended is closed when it is gone.
func terminate(process *os.Process, ended <-chan struct{}) error {
	for _, each := range []struct {
		signal os.Signal
		grace  time.Duration
	}{{syscall.SIGTERM, stopGrace}, {syscall.SIGKILL, killGrace}} {
		if err := process.Signal(each.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("sending it %s: %w", each.signal, err)
		}
		select {
		case <-ended:
			return nil
		case <-time.After(each.grace):
		}
	}
	return errors.New("it does not even end when killed")
}

// logTail are the last lines of the part's log.
func (p *component) logTail() string {
	const lines = 12
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

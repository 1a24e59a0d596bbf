package plane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const pidsFile = "pids.json"

// attachTimeout is what an API server gets to say that it is ready, before it counts as gone.
const attachTimeout = 30 * time.Second

// writePids notes which processes [Down] is to stop.
func (p *Plane) writePids() error {
	if !p.options.Detached {
		return nil
	}
	pids := map[string]int{}
	for name, part := range p.components {
		if process := part.running(); process != nil {
			pids[name] = process.Pid
		}
	}
	content, err := json.Marshal(pids)
	if err != nil {
		return fmt.Errorf("encoding the process ids: %w", err)
	}
	return p.write(pidsFile, content)
}

// Attach gives the detached plane that runs in the directory, whoever started it, if all its parts run and its API
// server is ready. Its parts cannot be stopped one by one.
func Attach(ctx context.Context, dir string) (*Plane, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the plane's directory: %w", err)
	}
	pids, err := readPids(dir)
	if err != nil {
		return nil, err
	}
	for name, pid := range pids {
		if !isRunning(pid, dir) {
			return nil, fmt.Errorf("attaching to the plane: its %s does not run any more", name)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	p := &Plane{options: Options{Dir: dir}, ports: &ports{}}
	if err := p.asAdmin(ctx, ready); err != nil {
		return nil, fmt.Errorf("attaching to the plane: %w", err)
	}
	return p, nil
}

// Down stops the detached plane of the directory, whoever started it, and removes the directory. It is no error if
// there is none.
func Down(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("finding the plane's directory: %w", err)
	}
	pids, err := readPids(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, names := range stopOrder {
		for _, name := range names {
			if err := stopByPID(pids[name], dir); err != nil {
				return fmt.Errorf("stopping %s: %w", name, err)
			}
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the plane's directory: %w", err)
	}
	return nil
}

func readPids(dir string) (map[string]int, error) {
	content, err := os.ReadFile(filepath.Join(dir, pidsFile))
	if err != nil {
		return nil, fmt.Errorf("reading the process ids: %w", err)
	}
	pids := map[string]int{}
	if err := json.Unmarshal(content, &pids); err != nil {
		return nil, fmt.Errorf("reading the process ids: %w", err)
	}
	return pids, nil
}

// stopByPID ends a process that need not be a child of this one. Its number may have gone to a stranger since it was
// noted: only a process that has the directory on its command line is ours.
func stopByPID(pid int, dir string) error {
	if pid == 0 || !isRunning(pid, dir) {
		return nil
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("finding process %d: %w", pid, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range time.Tick(20 * time.Millisecond) {
			if !isRunning(pid, dir) {
				return
			}
		}
	}()
	return terminate(process, ended)
}

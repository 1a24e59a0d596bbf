package plane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const pidsFile = "pids.json"

func kubeconfig(dir, user string) string { return filepath.Join(dir, user+".kubeconfig") }

// writePids notes which processes [Down] is to stop.
func (p *Plane) writePids() error {
	if !p.options.Detached {
		return nil
	}
	pids := map[string]int{}
	for name, part := range p.parts {
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

// Alive tells whether a detached plane is running in the directory and its API server ready, and if so gives the
// kubeconfig of its admin.
func Alive(ctx context.Context, dir string) (string, bool) {
	pids, err := readPids(dir)
	if err != nil || len(pids) == 0 {
		return "", false
	}
	for _, pid := range pids {
		if !runs(pid, dir) {
			return "", false
		}
	}
	path := kubeconfig(dir, Admin)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return "", false
	}
	config.Timeout = 3 * time.Second
	client, err := kubernetes.NewForConfig(config)
	return path, err == nil && ready(ctx, client) == nil
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
			if err := endAnothers(pids[name], dir); err != nil {
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

// endAnothers ends a process that need not be a child of this one. Its number may have gone to a stranger since it was
// noted: only a process that has the directory on its command line is ours.
func endAnothers(pid int, dir string) error {
	if pid == 0 || !runs(pid, dir) {
		return nil
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("finding process %d: %w", pid, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for runs(pid, dir) {
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return end(process, ended)
}

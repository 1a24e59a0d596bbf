package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/memory"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// warm is how long the plugin may take to reach the memory that it needs, and mayGrow what it may hold then, of what it
// holds at the end of that.
const (
	warm    = time.Minute
	mayGrow = 1.1
)

// soak follows a cluster in which objects come, get stuck, and go, and looks whether the plugin grows.
func soak(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	plugin := flags.String("plugin", "../bin/kubectl-finalizers", "the plugin to soak")
	lasts := flags.Duration("for", 10*time.Minute, "how long")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return fmt.Errorf("making a place for the control plane: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := plane.Build(ctx, plane.Version(), os.Stdout); err != nil {
		return err
	}
	p, err := plane.Start(ctx, plane.Options{Dir: filepath.Join(dir, "plane")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return follow(ctx, p, *plugin, *lasts)
}

func follow(ctx context.Context, p *plane.Plane, plugin string, lasts time.Duration) error {
	config, err := p.Config(plane.Admin)
	if err != nil {
		return err
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("setting up the client: %w", err)
	}
	command := exec.CommandContext(ctx, plugin, "list", "-A", "-w")
	command.Env = p.Env(plane.Admin)
	lines := &counter{}
	command.Stdout, command.Stderr = lines, os.Stderr
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the plugin: %w", err)
	}
	churning, stop := context.WithTimeout(ctx, lasts)
	defer stop()
	churned := make(chan error, 1)
	go func() { churned <- churn(churning, client.CoreV1().ConfigMaps("default")) }()
	grown := watchGrowth(churning, command.Process.Pid, lines)
	if err := errors.Join(<-churned, command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
		return fmt.Errorf("following: %w", err)
	}
	return errors.Join(grown, ctx.Err())
}

// churn creates, deletes and frees objects, so that some hundred are always stuck.
func churn(ctx context.Context, configMaps typedcorev1.ConfigMapInterface) error {
	const stuckAtOnce = 200
	free := []byte(`{"metadata":{"finalizers":null}}`)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		name := fmt.Sprintf("churn-%d", i)
		_, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{hold}}}, metav1.CreateOptions{})
		if err == nil {
			err = configMaps.Delete(ctx, name, metav1.DeleteOptions{})
		}
		if err == nil && i >= stuckAtOnce {
			_, err = configMaps.Patch(ctx, fmt.Sprintf("churn-%d", i-stuckAtOnce), types.MergePatchType, free, metav1.PatchOptions{})
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("churning object %d: %w", i, err)
		}
	}
}

// watchGrowth tells the memory of a process every half minute.
func watchGrowth(ctx context.Context, pid int, lines *counter) error {
	tick := time.NewTicker(warm / 2)
	defer tick.Stop()
	begun := time.Now()
	var first int64
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		most, age := memory.Peak(pid), time.Since(begun)
		fmt.Printf("after %s: at most %d MiB, %d bytes printed\n", age.Round(time.Second), most>>20, lines.bytes.Load())
		if age >= warm && first == 0 {
			first = most
		}
		if first > 0 && float64(most) > mayGrow*float64(first) {
			return fmt.Errorf("it has grown from %d to %d MiB", first>>20, most>>20)
		}
	}
}

// counter counts what is printed.
type counter struct{ bytes atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// Kubectl-finalizers is a kubectl plugin that finds what is stuck in
// Terminating and says why.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the ways to log in that kubeconfigs name
	"k8s.io/klog/v2"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

func main() {
	// A survey keeps a few megabytes and allocates many more. Collecting garbage twice
	// as often costs some milliseconds and makes the process a tenth smaller.
	debug.SetGCPercent(50)
	limitMemory()
	// What libraries log is an error or a gap here, and would be printed twice. See -v.
	klog.SetLogger(klog.Logger{})
	os.Exit(run())
}

func run() int {
	// The first ^C cancels the context, the second one kills the program: also one that comes at once.
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	context.AfterFunc(interrupted, func() {
		stop()
		cancel()
	})
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	return cmd.New(streams, time.Now).Run(ctx, os.Args[1:])
}

// softMemoryLimit is where garbage is collected more often. The answers of a broken server may take three quarters of it, and
// nothing else of a survey does; what one answer leaves is otherwise not collected before the next one is read. --from lifts it.
const softMemoryLimit = 384 << 20

// limitMemory sets the soft limit, unless GOMEMLIMIT does.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemoryLimit)
	}
}

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
	// A survey holds a few megabytes and throws away many more. To collect them
	// twice as often costs some milliseconds and keeps the process a tenth
	// smaller.
	debug.SetGCPercent(50)
	// Libraries log what is an error or a gap here: it would be on the screen twice.
	klog.SetLogger(klog.Logger{})
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first ^C asks the program to end, the second one ends it.
	context.AfterFunc(ctx, stop)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	return cmd.New(streams, time.Now).Run(ctx, os.Args[1:])
}

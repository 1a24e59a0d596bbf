// Command bench builds a big cluster and measures, side by side, what it takes to find in it what is stuck.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"k8s.io/client-go/kubernetes"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// bench is what was asked for.
type bench struct {
	out     io.Writer
	plugin  string
	dir     string // of the control plane
	page    string // what to write
	objects int
	crds    int
	rounds  int
	growth  []int
	client  kubernetes.Interface
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "read" {
		return read(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "soak" {
		return soak(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "stuck" {
		return measureStuck(ctx, args[1:])
	}
	b := &bench{out: os.Stdout}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.plugin, "plugin", "../bin/kubectl-finalizers", "the plugin to measure")
	flags.StringVar(&b.dir, "dir", "", "keep the control plane in this folder, and use the one that is there")
	flags.StringVar(&b.page, "page", "", "write the figures to this file too")
	flags.IntVar(&b.objects, "objects", 80000, "how many objects the cluster holds")
	flags.IntVar(&b.crds, "crds", 200, "how many custom types it has")
	flags.IntVar(&b.rounds, "rounds", 5, "how often each is measured")
	growth := flags.String("growth", "20000,320000", "further numbers of objects, to see what grows with them")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	for word := range strings.SplitSeq(*growth, ",") {
		if word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return fmt.Errorf("reading --growth: %w", err)
		}
		b.growth = append(b.growth, n)
	}
	return b.run(ctx)
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format+"\n", args...) }

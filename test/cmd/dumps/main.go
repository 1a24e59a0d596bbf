// Command dumps starts a control plane with stuck objects in it, lets the tools that write dumps of a cluster write
// theirs, and keeps those in testdata/dumps.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// stories are played in this order: the last one keeps every namespace from being deleted.
var stories = []string{"claim-is-in-use", "operator-is-uninstalled", "conversion-webhook-is-gone"}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("dumps", flag.ContinueOnError)
	testdata := flags.String("testdata", "../testdata", "the folder with the stories and the dumps")
	programs := flags.String("programs", "../bin/dumpers", "where the programs of the tools are")
	only := flags.String("only", "", "the one dump to write, all where that is empty")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	dir, err := os.MkdirTemp("", "dumps")
	if err != nil {
		return fmt.Errorf("making a place for the control plane: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := plane.Build(ctx, plane.Version(), out); err != nil {
		return err
	}
	p, err := plane.Start(ctx, plane.Options{Dir: filepath.Join(dir, "plane"), Kwok: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, name := range stories {
		s, err := story.Load(filepath.Join(*testdata, "scenarios", name))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "playing", name)
		if err := s.Play(ctx, p); err != nil {
			return err
		}
	}
	for _, t := range tools() {
		if *only != "" && *only != t.name {
			continue
		}
		fmt.Fprintln(out, "writing", t.name)
		report, err := t.write(ctx, p, *programs, filepath.Join(dir, t.name), filepath.Join(*testdata, "dumps", t.name))
		if err != nil {
			return fmt.Errorf("writing %s: %w\n%s", t.name, err, report)
		}
		fmt.Fprintf(out, "%s\n", report)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// stuckLoad is how much is stuck, and what else is there.
type stuckLoad struct {
	Objects, Types, Namespaces int
	// CRDs are the custom types, and Idle the objects that nobody deletes.
	CRDs, Idle int
}

// stuckBench measures what the commands take where much is stuck, and compares that with what they may take.
type stuckBench struct {
	out    io.Writer
	plugin string
	dir    string // of the control plane
	load   stuckLoad
}

// measureStuck runs the subcommand `stuck`.
func measureStuck(ctx context.Context, args []string) error {
	s := &stuckBench{out: os.Stdout}
	flags := flag.NewFlagSet("stuck", flag.ContinueOnError)
	flags.StringVar(&s.plugin, "plugin", "../bin/kubectl-finalizers", "the plugin to measure")
	flags.StringVar(&s.dir, "dir", "", "keep the control plane in this folder, and use the one that is there")
	flags.IntVar(&s.load.Objects, "objects", 20000, "how many objects are stuck")
	flags.IntVar(&s.load.Types, "types", 200, "of how many custom types")
	flags.IntVar(&s.load.Namespaces, "namespaces", 500, "in how many namespaces")
	flags.IntVar(&s.load.CRDs, "crds", 0, "how many custom types there are (default: --types)")
	flags.IntVar(&s.load.Idle, "idle", 0, "how many objects there are beside those that are stuck")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	s.load.CRDs = max(s.load.CRDs, s.load.Types)
	if s.load.Types < 1 || s.load.Namespaces < 2 || s.load.Objects < max(s.load.Types, s.load.Namespaces) {
		return errors.New("reading the flags: there are fewer objects than types or namespaces: pass a larger --objects")
	}
	return s.run(ctx)
}

func (s *stuckBench) run(ctx context.Context) (err error) {
	if s.plugin, err = filepath.Abs(s.plugin); err != nil {
		return fmt.Errorf("finding the plugin: %w", err)
	}
	if s.dir == "" {
		temporary, err := os.MkdirTemp("", "bench")
		if err != nil {
			return fmt.Errorf("making a place for the control plane: %w", err)
		}
		defer os.RemoveAll(temporary)
		s.dir = filepath.Join(temporary, "plane")
		defer func() { err = errors.Join(err, plane.Down(s.dir)) }()
	}
	p, err := s.attach(ctx)
	if errors.Is(err, os.ErrNotExist) {
		p, err = s.startAndFill(ctx)
	}
	if err != nil {
		return err
	}
	return s.measureAll(ctx, p)
}

// loadFile says what a control plane holds that was kept.
func (s *stuckBench) loadFile() string { return filepath.Join(s.dir, "stuck.json") }

// attach returns the control plane that an earlier run kept.
func (s *stuckBench) attach(ctx context.Context) (*plane.Plane, error) {
	content, err := os.ReadFile(s.loadFile())
	if err != nil {
		return nil, fmt.Errorf("reading what is stuck in it: %w", err)
	}
	var kept stuckLoad
	if err := json.Unmarshal(content, &kept); err != nil {
		return nil, fmt.Errorf("reading what is stuck in it: %w", err)
	}
	if kept != s.load {
		return nil, fmt.Errorf("the control plane in %s has another load, %+v: pass another folder", s.dir, kept)
	}
	return plane.Attach(ctx, s.dir)
}

// startAndFill starts a control plane and fills it. Its controllers keep running, unless the load has to be kept from
// them: that they watch each type, and nothing else does, is what tells that a controller is gone.
func (s *stuckBench) startAndFill(ctx context.Context) (*plane.Plane, error) {
	b := &bench{out: s.out, dir: s.dir, crds: s.load.CRDs}
	b.printf("starting a control plane (%s)", plane.Version())
	if err := plane.Build(ctx, plane.Version(), s.out); err != nil {
		return nil, err
	}
	p, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	l, err := b.load(p)
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, p, l); err != nil {
		return nil, err
	}
	content, err := json.Marshal(s.load)
	if err != nil {
		return nil, fmt.Errorf("noting what is stuck in it: %w", err)
	}
	return p, os.WriteFile(s.loadFile(), content, 0o600)
}

func (s *stuckBench) printf(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

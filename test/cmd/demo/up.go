package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// atOnce is how many stories are played at the same time; most of a story is waiting.
const atOnce = 4

// demo is what the user asked for.
type demo struct {
	out       io.Writer
	dir       string
	plugin    string
	scenarios string
}

// up gets the control plane into the state that the stories tell of, and shows it.
func (d demo) up(ctx context.Context) error {
	if _, err := os.Stat(d.plugin); err != nil {
		return fmt.Errorf("finding the plugin (make build makes it): %w", err)
	}
	all, err := story.All(d.scenarios)
	if err != nil {
		return err
	}
	stories := slices.DeleteFunc(all, func(s story.Story) bool { return !s.Demo })
	p, err := d.attach(ctx, stories)
	var played error
	if err != nil {
		fmt.Fprintf(d.out, "Starting a control plane of its own for the demo (%s).\n", plane.Version())
		if p, err = d.startFresh(ctx); err != nil {
			return err
		}
		played = errors.Join(d.play(ctx, p, stories), d.awaitCollector(ctx, p))
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), plane.Down(d.dir))
	}
	if err := d.linkPlugin(p); err != nil {
		return err
	}
	shown := d.show(ctx, p, stories)
	d.printNextSteps(p)
	return errors.Join(played, shown)
}

// startFresh starts a new control plane in place of whatever is there.
func (d demo) startFresh(ctx context.Context) (*plane.Plane, error) {
	if err := plane.Build(ctx, plane.Version(), d.out); err != nil {
		return nil, err
	}
	if err := plane.Down(d.dir); err != nil {
		return nil, err
	}
	begun := time.Now()
	p, err := plane.Start(ctx, plane.Options{Dir: d.dir, Kwok: true, Detached: true})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(d.out, "  ready in %.1fs\n", time.Since(begun).Seconds())
	return p, nil
}

// play plays the stories and, if all went well, notes which, for [demo.attach].
func (d demo) play(ctx context.Context, p *plane.Plane, stories []story.Story) error {
	fmt.Fprintf(d.out, "Getting things stuck in it, in %d ways:\n", len(stories))
	err := story.PlayAll(ctx, p, stories, atOnce, func(s story.Story, err error) {
		word := "ok    "
		if err != nil {
			word = "FAILED"
		}
		fmt.Fprintf(d.out, "  %s %s\n", word, s.Title)
	})
	if err != nil {
		return err
	}
	sum, err := d.sum(stories)
	if err != nil {
		return err
	}
	if err := os.WriteFile(d.sumFile(), []byte(sum), 0o600); err != nil {
		return fmt.Errorf("noting what was played: %w", err)
	}
	return nil
}

// collectorDelay is after when the garbage collector watches a new type for sure. Until then, whoever watches it may be a
// controller, so less is known.
const collectorDelay = 90 * time.Second

// awaitCollector waits until the garbage collector watches all types.
func (d demo) awaitCollector(ctx context.Context, p *plane.Plane) error {
	command := exec.CommandContext(ctx, filepath.Join(p.Bin(), "kubectl"), "get", "crd", "-o", "jsonpath={.items[*].metadata.creationTimestamp}")
	command.Env = p.Env(plane.Admin)
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("listing the types: %w", err)
	}
	ages := strings.Fields(string(out))
	if len(ages) == 0 {
		return nil
	}
	newest, err := time.Parse(time.RFC3339, slices.Max(ages))
	if err != nil {
		return fmt.Errorf("reading when the types were created: %w", err)
	}
	rest := time.Until(newest.Add(collectorDelay))
	fmt.Fprintf(d.out, "Waiting %s, until it is certain who watches the new types.\n", rest.Round(time.Second))
	select {
	case <-time.After(rest):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// linkPlugin puts the plugin where kubectl finds it.
func (d demo) linkPlugin(p *plane.Plane) error {
	plugin, err := filepath.Abs(d.plugin)
	if err != nil {
		return fmt.Errorf("finding the plugin: %w", err)
	}
	link := filepath.Join(p.Bin(), "kubectl-finalizers")
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("replacing the plugin of an earlier demo: %w", err)
	}
	if err := os.Symlink(plugin, link); err != nil {
		return fmt.Errorf("putting the plugin into PATH: %w", err)
	}
	return nil
}

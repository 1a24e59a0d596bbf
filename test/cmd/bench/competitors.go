package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// competitor is one way to look through the cluster.
type competitor struct {
	name string
	argv []string
	// once says that it takes too long to be run in every round.
	once bool
}

// measurement is what a contender took, in all its runs.
type measurement struct {
	competitor
	runs     []sample
	server   []serverMetrics
	requests int
}

func (t measurement) medianWall() float64 {
	return median(t.runs, func(s sample) float64 { return s.wall.Seconds() })
}

const (
	namesOf   = "`kubectl finalizers list -A -o name`"
	tableOf   = "`kubectl finalizers list -A`: the table with causes"
	wireOf    = "the wire: each type requested once as metadata in protobuf, the bytes thrown away"
	oldWireOf = "the wire at resourceVersion 0, which may be a moment old"
	gzipOf    = "the wire, compressed"
	pagerOf   = "client-go's metadata client and pager"
	pipeOf    = "`kubectl api-resources \\| xargs kubectl get`"
)

// competitors are the ways that are compared: at every size the first two, and at the main one all.
func (b *bench) competitors(size int) ([]competitor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	all := []competitor{
		{name: wireOf, argv: []string{self, "read", "wire"}},
		{name: namesOf, argv: []string{b.plugin, "list", "-A", "-o", "name"}},
		{name: tableOf, argv: []string{b.plugin, "list", "-A"}},
		{name: oldWireOf, argv: []string{self, "read", "wire", "--resource-version=0"}},
		{name: gzipOf, argv: []string{self, "read", "wire", "--gzip"}},
		{name: pagerOf, argv: []string{self, "read", "pager"}},
		{name: pipeOf, once: true, argv: []string{
			shell, "-c", "kubectl api-resources --verbs=list -o name | xargs -n 1 kubectl get -A --ignore-not-found -o name",
		}},
	}
	if size != b.objects {
		all = all[:2]
	}
	return all, nil
}

// compare runs the contenders in turns: whatever else the machine does meets all of them.
func (b *bench) compare(ctx context.Context, p *plane.Plane, competitors []competitor) ([]measurement, error) {
	all := make([]measurement, len(competitors))
	for round := range b.rounds {
		for i, c := range competitors {
			all[i].competitor = c
			if c.once && round > 0 {
				continue
			}
			if err := b.runOne(ctx, p, &all[i]); err != nil {
				return nil, err
			}
		}
		b.printf("  round %d of %d", round+1, b.rounds)
	}
	return all, nil
}

func (b *bench) runOne(ctx context.Context, p *plane.Plane, t *measurement) error {
	mark, err := p.Mark(ctx)
	if err != nil {
		return err
	}
	before, err := readServerMetrics(ctx, b.client)
	if err != nil {
		return err
	}
	s, err := measure(ctx, b.env(p), t.argv...)
	if err != nil {
		return err
	}
	after, err := readServerMetrics(ctx, b.client)
	if err != nil {
		return err
	}
	t.runs, t.server = append(t.runs, s), append(t.server, after.since(before))
	t.requests, err = requests(ctx, p, mark)
	return err
}

// env finds the plugin where kubectl would.
func (b *bench) env(p *plane.Plane) []string {
	env := p.Env(plane.Admin)
	for i, word := range env {
		if len(word) > 5 && word[:5] == "PATH=" {
			env[i] = "PATH=" + filepath.Dir(b.plugin) + string(os.PathListSeparator) + word[5:]
		}
	}
	return env
}

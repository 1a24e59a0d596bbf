package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// taken is what one run of a command took.
type taken struct {
	sample
	memory, requests, listed float64
	lines                    int
}

// measureAll runs each command once, prints what it took beside its bounds, and fails if one is exceeded.
func (s *stuckBench) measureAll(ctx context.Context, p *plane.Plane) error {
	s.printf("\n%d objects of %d types are stuck in %d namespaces; %d custom types, %d other objects\n", s.load.Objects, s.load.Types, s.load.Namespaces, s.load.CRDs, s.load.Idle)
	s.printf("| command | peak memory (MiB) | bound | requests | bound | list bytes (MiB) | bound | time |\n|---|---|---|---|---|---|---|---|")
	var exceeded error
	for _, c := range s.bounded() {
		t, err := s.measure(ctx, p, c)
		if err != nil {
			return err
		}
		s.printf("| `%s` | %s | %s | %s | %s | %s | %s | %s |", c.name, number(t.memory), number(c.memory.of(s.load)), number(t.requests), number(c.requests.of(s.load)),
			number(t.listed), number(c.listed.of(s.load)), seconds(t.wall.Seconds()))
		exceeded = errors.Join(exceeded, c.check(t, s.load))
	}
	return exceeded
}

// check is the bounds that a run has exceeded.
func (c bounded) check(t taken, l stuckLoad) (err error) {
	for _, each := range []struct {
		what  string
		took  float64
		bound bound
	}{{"MiB of memory", t.memory, c.memory}, {"requests", t.requests, c.requests}, {"MiB of lists", t.listed, c.listed}} {
		if most := each.bound.of(l); each.took > most {
			err = errors.Join(err, fmt.Errorf("%s took %s %s, and %s are the bound", c.name, number(each.took), each.what, number(most)))
		}
	}
	if t.lines < c.lines {
		err = errors.Join(err, fmt.Errorf("%s printed %d lines, and what is stuck needs %d", c.name, t.lines, c.lines))
	}
	return err
}

// measure runs a command. Its memory is what the kernel says of the process while it runs: what it says at the end
// (ru_maxrss) is at least the memory of this program.
func (s *stuckBench) measure(ctx context.Context, p *plane.Plane, c bounded) (t taken, err error) {
	client, err := (&bench{}).admin(p)
	if err != nil {
		return t, err
	}
	before, err := readServerMetrics(ctx, client)
	if err != nil {
		return t, err
	}
	mark, err := p.Mark(ctx)
	if err != nil {
		return t, err
	}
	var printed bytes.Buffer
	if t.sample, err = measureTo(ctx, &printed, p.Env(plane.Admin), append([]string{s.plugin}, c.argv...)...); err != nil {
		return t, err
	}
	after, err := readServerMetrics(ctx, client)
	if err != nil {
		return t, err
	}
	all, err := p.Requests(ctx, mark)
	for _, r := range all {
		if strings.HasPrefix(r.UserAgent, filepath.Base(s.plugin)+"/") {
			t.requests++
		}
	}
	t.memory, t.listed, t.lines = float64(t.rss)/(1<<20), after.since(before).sent/(1<<20), bytes.Count(printed.Bytes(), []byte("\n"))
	return t, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// firstTarget is the object that the documentation explains, and so does the demo.
const firstTarget = "namespace/shop"

// show runs the commands that a user would run first.
func (d demo) show(ctx context.Context, p *plane.Plane, stories []story.Story) error {
	commands := [][]string{{"list", "-A"}}
	for _, target := range targets(stories) {
		commands = append(commands, append([]string{"explain"}, target...))
	}
	var failures []error
	for _, words := range commands {
		failures = append(failures, d.run(ctx, p, words))
	}
	return errors.Join(failures...)
}

// targets are what to explain of two stories: the well-known one, and another.
func targets(stories []story.Story) [][]string {
	var known, others [][]string
	for _, each := range stories {
		switch {
		case slices.Equal(each.Explain, []string{firstTarget}):
			known = append(known, each.Explain)
		case len(each.Explain) > 0:
			others = append(others, each.Explain)
		}
	}
	all := slices.Concat(known, others)
	return all[:min(2, len(all))]
}

func (d demo) run(ctx context.Context, p *plane.Plane, words []string) error {
	line := "kubectl finalizers " + strings.Join(words, " ")
	fmt.Fprintf(d.out, "\n$ %s\n", line)
	if err := d.kubectl(ctx, p, append([]string{"finalizers"}, words...)); err != nil {
		return fmt.Errorf("running %s: %w", line, err)
	}
	return nil
}

// kubectl runs the plane's kubectl before the user's eyes.
func (d demo) kubectl(ctx context.Context, p *plane.Plane, args []string) error {
	command := exec.CommandContext(ctx, filepath.Join(p.Bin(), "kubectl"), args...)
	command.Env = p.Env(plane.Admin)
	command.Stdout, command.Stderr = d.out, os.Stderr
	return command.Run()
}

func (d demo) printNextSteps(p *plane.Plane) {
	fmt.Fprintf(d.out, `
Go on by hand:
  export KUBECONFIG=%s
  export KUBECACHEDIR=%s
  export PATH=%s:$PATH
  kubectl finalizers list -A
Stop it:
  make demo-down
`, p.Kubeconfig(plane.Admin), p.CacheDir(), p.Bin())
}

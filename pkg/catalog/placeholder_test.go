package catalog

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestDescriptionsNamePlaceholders holds that a reader knows what to fill in for <this-thing> in a command: the
// description calls it "this thing".
func TestDescriptionsNamePlaceholders(t *testing.T) {
	blank := regexp.MustCompile(`<([^<>]+)>`)
	for _, e := range load(t).Entries() {
		for _, step := range stepsOf(e) {
			for _, found := range blank.FindAllStringSubmatch(step.Command, -1) {
				if name := strings.ReplaceAll(found[1], "-", " "); !strings.Contains(step.Description, name) {
					t.Errorf("%s:%d: %q does not say what <%s> of %q is", e.file, e.line, step.Description, found[1], step.Command)
				}
			}
		}
	}
}

// stepsOf are all steps that an entry holds.
func stepsOf(e Entry) []stuck.Step {
	steps := slices.Clone(e.Resolution)
	for _, n := range e.Needs {
		steps = append(steps, n.Steps...)
	}
	for _, u := range e.UsedBy {
		if u.Release != nil {
			steps = append(steps, *u.Release)
		}
	}
	for _, p := range e.Paused {
		steps = append(steps, p.Resume)
	}
	for _, c := range e.Confirmation {
		steps = append(steps, c.Confirm)
	}
	for _, r := range e.Remote {
		steps = append(steps, r.Connect)
	}
	return steps
}

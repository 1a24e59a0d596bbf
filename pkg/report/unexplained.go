package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// knownSteps are the steps that the catalog has for finalizers that no cause explains.
func (r reason) knownSteps() []stuck.Step {
	var out []stuck.Step
	for _, name := range r.unexplained {
		for _, s := range r.group.First().Known[name].Fix {
			s.Description = r.forAll(s.Description, s.Command)
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// unexplainedCosts are what force costs of finalizers that no cause explains: what the
// catalog knows, and unknown for the others.
func (r reason) unexplainedCosts() []stuck.Cost {
	var out []stuck.Cost
	var unknown []string
	for _, name := range r.unexplained {
		known, ok := r.group.First().Known[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		cost := known.IfForced
		cost.Description = r.forAll(cost.Description, "")
		out = append(out, cost)
	}
	if len(unknown) > 0 {
		out = append(out, stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("whatever %s of %s would have cleaned up", strings.Join(unknown, " and "), r.group),
		})
	}
	return out
}

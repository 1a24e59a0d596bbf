package preflight

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OrderStep is the step of a cause that holds only if everything is deleted at once.
var OrderStep = stuck.Step{Action: stuck.ActionDelete, Description: "follow the safe order of deletion"}

// goneCulprits are the objects that exist now, and that are deleted with nothing to wait for.
func goneCulprits(d *deleted, a *after) map[stuck.Culprit]bool {
	gone := map[stuck.Culprit]bool{}
	for _, o := range d.all {
		if a.gone[o.UID] {
			gone[o.Culprit().WithoutAPIVersion()] = true
		}
	}
	return gone
}

// markDeletedToo rewords the findings that blame an object which exists now: causes speak of
// the cluster after the deletion.
func markDeletedToo(diagnoses []*stuck.Diagnosis, gone map[stuck.Culprit]bool) {
	for _, d := range diagnoses {
		for i, f := range d.Findings {
			if !gone[f.BlockedBy.WithoutAPIVersion()] {
				continue
			}
			f.Message, f.Steps = deletedToo(f.Message), []stuck.Step{OrderStep}
			evidence := make([]string, 0, len(f.Evidence))
			for _, line := range f.Evidence {
				evidence = append(evidence, deletedToo(line))
			}
			f.Certainty, f.Evidence = stuck.Likely, evidence
			d.Findings[i] = f
		}
	}
}

func deletedToo(text string) string {
	return strings.ReplaceAll(text, "does not exist", "is deleted too")
}

package preflight

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

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

// forgetLaterDeletion rewords what causes say of a namespace that nobody has deleted yet, and leaves
// out the steps that only an object which is being deleted allows.
func forgetLaterDeletion(diagnoses []*stuck.Diagnosis, d *deleted) {
	isDeleting := map[types.UID]bool{}
	var later []string
	for _, o := range d.all {
		isDeleting[o.UID] = o.Deleting()
		if o.IsNamespace() && !o.Deleting() {
			later = append(later, o.Ref()+" is being deleted", o.Ref()+" is deleted too")
		}
	}
	reworded := strings.NewReplacer(later...)
	for _, diagnosis := range diagnoses {
		for i, f := range diagnosis.Findings {
			f.Message, f.Evidence = reworded.Replace(f.Message), slices.Clone(f.Evidence)
			for n, line := range f.Evidence {
				f.Evidence[n] = reworded.Replace(line)
			}
			f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(s stuck.Step) bool {
				return s.Action == stuck.ActionForce && !isDeleting[diagnosis.Object.UID]
			})
			diagnosis.Findings[i] = f
		}
	}
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

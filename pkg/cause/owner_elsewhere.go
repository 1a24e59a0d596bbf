package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerElsewhere is a controller that was told to work in other namespaces
// only.
var OwnerElsewhere = Cause{
	ID:    "owner-elsewhere",
	Title: "The controller of a finalizer works in other namespaces only",
	Doc: Doc{
		Shows: "The controller is healthy, and its environment or arguments name the namespaces it watches. That of the object is not among them.",
		Why:   "It was installed for some namespaces (WATCH_NAMESPACE, an OLM OperatorGroup, a --namespace flag), or the list was shortened while objects elsewhere still carried its finalizer.",
		Fix:   "Add the namespace to its list until it has finished.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		if !w.Complete || w.Object.Namespace == "" {
			return nil
		}
		var out []stuck.Finding
		for _, c := range running(see, w) {
			watched := owner.Watched(c.Workload)
			if watched == nil || watched.Holds(w.Object.Namespace) {
				return nil // one that works here is enough
			}
			out = append(out, stuck.Finding{
				Summary:   its(w, c) + " works in other namespaces only",
				Culprit:   c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence: append(owner.Examine(see, c.Workload).Says,
					fmt.Sprintf("it watches %s (%s), not %s", strings.Join(watched.Namespaces, ", "), watched.From, w.Object.Namespace), because(w, c)),
				Fix: []stuck.Step{{
					What:    fmt.Sprintf("add %s to %s until it has finished", w.Object.Namespace, watched.From),
					Command: command(c.Namespace, "edit %s", c.Ref()),
				}},
				IfForced: leaves(w),
			})
		}
		return out
	},
}

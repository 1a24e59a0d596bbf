package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerDiedWithNamespace is a controller that was deleted together with the
// namespace whose objects it should have cleaned up.
var OwnerDiedWithNamespace = Cause{
	ID:    "owner-died-with-namespace",
	Title: "The controller of a finalizer was deleted with the namespace it should clean up",
	Doc: Doc{
		Shows: "The namespace is Terminating, objects in it carry a finalizer, and the controller of that finalizer, or its account, lived in the same namespace.",
		Why:   "Deleting a namespace deletes the operator in it before, or together with, the objects it manages. Nothing new can be created in a namespace that is being deleted, so it cannot come back there.",
		Fix:   "Install the controller in another namespace, with rights on this one, and let it finish. Next time, delete its objects first and the namespace last.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		if !w.Complete || w.BuiltIn() != "" || hasActed(see, w) || !lostInside(see, w) {
			return nil
		}
		f := stuck.Finding{
			Summary:   fmt.Sprintf("the controller of %s was deleted with namespace %s, in which it ran", w.Finalizer, w.Object.Namespace),
			Culprit:   stuck.Culprit{Kind: "Namespace", Name: w.Object.Namespace},
			Certainty: stuck.Likely,
			Verdict:   stuck.Orphaned,
			Evidence:  background(w),
			Fix:       []stuck.Step{{What: "install the controller in another namespace, with rights on this one, and let it finish: nothing can be created in a namespace that is being deleted"}},
			IfForced:  leaves(w),
		}
		for _, c := range w.Suspects {
			f.Evidence = append(f.Evidence, owner.Examine(see, c.Workload).Says...)
		}
		return []stuck.Finding{f}
	},
}

// lostInside says whether all that could be the controller ran in the dying
// namespace, and runs no more.
func lostInside(see *cluster.View, w owner.Owner) bool {
	if len(w.Suspects) == 0 {
		if !diedWithNamespace(see, w) {
			return false
		}
		nobody, _ := abandoned(see, w)
		return nobody
	}
	for _, c := range w.Suspects {
		// A Pod that is there, however ill, may yet finish; none can be made anew.
		if !inDyingNamespace(see, w, c) || owner.Examine(see, c.Workload).Alive != stuck.AliveNo || !see.PodsOf(c.Workload).None() {
			return false
		}
	}
	watched, _ := owner.WatchedBy(see, w.Object.Type)
	return watched != owner.WatchedBySome
}

package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerGone is a finalizer whose controller is nowhere to be found, after every
// clue was looked at.
var OwnerGone = Cause{
	ID:    "owner-gone",
	Title: "The controller of a finalizer is gone",
	Doc: Doc{
		Shows: "An object is Terminating with a finalizer of somebody's own. No workload may act on the type, none is called like the one that set the finalizer, what installed the type is uninstalled, and nobody watches the type but the garbage collector.",
		Why:   "The controller was uninstalled before the objects it had put its finalizer on.",
		Fix:   "Install the controller again, in the same version, and let it finish. If that cannot be, the finalizer has to be removed by force.",
		Force: "Whatever the controller would have cleaned up stays behind, inside the cluster or outside of it.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		if len(w.Suspects) > 0 || w.BuiltIn() != "" || !w.Complete || diedWithNamespace(see, w) {
			return nil
		}
		if !livesOn(see, w.Object.Namespace) {
			return nil
		}
		nobody, says := abandoned(see, w)
		if !nobody {
			return nil
		}
		f := stuck.Finding{
			Summary:   fmt.Sprintf("the controller of %s is gone", w.Finalizer),
			Culprit:   w.Object.As(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Orphaned,
			Evidence:  append(background(w), says...),
			Fix:       wayOut(w, fmt.Sprintf("install the controller of %s again, in the same version, and let it finish", w.Finalizer)),
			IfForced:  leaves(w),
		}
		f.Evidence = append(f.Evidence, "no workload was found that could take it off")
		return []stuck.Finding{f}
	},
}

// livesOn says that an object's namespace is there, so that what could not be
// read of it is not taken for a controller that died with it.
func livesOn(see *cluster.View, namespace string) bool {
	return namespace == "" || see.Namespace(namespace).Found()
}

// background are the facts and traces of a search that found no workload.
func background(w owner.Owner) []string {
	lines := append([]string{}, w.Facts...)
	for _, t := range w.Traces {
		lines = append(lines, t.Says)
	}
	return lines
}

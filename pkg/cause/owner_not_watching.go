package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerNotWatching is a controller that runs and does not watch the type.
var OwnerNotWatching = Cause{
	ID:    "owner-not-watching",
	Title: "The controller of a finalizer runs, but does not watch the type",
	Doc: Doc{
		Shows: "The controller's pods are ready, and the API server's metrics count no watch on the type but that of the garbage collector.",
		Why:   "The controller is not the one that handles this type, has this part switched off, is too old or too new for it, or its watch was lost and never set up again.",
		Fix:   "Look at its log for the type; restart it.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		runs := running(see, w)
		if !w.Complete || len(runs) == 0 || !unwatched(see, w) || hindered(see, w, runs) {
			return nil
		}
		if said, _ := complaints(see, w); len(said) > 0 {
			return nil // it tries, so it has seen the object
		}
		_, says := owner.WatchedBy(see, w.Object.Type)
		var out []stuck.Finding
		for _, c := range runs {
			out = append(out, stuck.Finding{
				Summary:   fmt.Sprintf("%s runs, and does not watch %s", its(w, c), w.Object.Type),
				Culprit:   c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence:  append(append(owner.Examine(see, c.Workload).Says, says...), because(w, c)),
				Fix: []stuck.Step{
					{What: "see what it says of the type", Command: logs(c, "")},
					{What: "restart it", Command: command(c.Namespace, "rollout restart %s", c.Ref())},
				},
				IfForced: leaves(w),
			})
		}
		return out
	},
}

// hindered says whether there is another reason why the controller does not
// act, from which it follows that it does not watch.
func hindered(see *cluster.View, w owner.Owner, runs []owner.Candidate) bool {
	for _, c := range runs {
		missing, known := owner.Lacks(see, c.Workload, w.Object)
		scope := owner.Watched(c.Workload)
		elsewhere := scope != nil && w.Object.Namespace != "" && !scope.Holds(w.Object.Namespace)
		lost, seen := lostLeaderships(see, c)
		if !known || !seen || len(missing) > 0 || elsewhere || len(lost) > 0 {
			return true
		}
	}
	return false
}

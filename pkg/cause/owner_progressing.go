package cause

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// recent is how long a controller's last sign of life on the object counts.
const recent = 5 * time.Minute

// OwnerProgressing is a controller that is at work on the object.
var OwnerProgressing = Cause{
	ID:    "owner-progressing",
	Title: "The controller of a finalizer is at work",
	Doc: Doc{
		Shows: "The controller is healthy, has written to the object since its deletion began, not long ago, and complains of nothing.",
		Why:   "Cleaning up takes its time: a volume is detached, a machine shut down, a database backed up.",
		Fix:   "Wait.",
		Force: "The work stops half way.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		runs := running(see, w)
		if len(runs) == 0 {
			return nil
		}
		if said, all := complaints(see, w); len(said) > 0 || !all {
			return nil
		}
		for _, m := range append(see.WroteStatus(w.Object), w.Setters...) {
			if owner.ByHand(m.Name) || owner.Generic(m.Name) && len(w.Suspects) > 1 || !m.At.After(w.Object.Deleted) || since(see, m.At) > recent {
				continue
			}
			c := runs[0]
			return []stuck.Finding{{
				Summary:   its(w, c) + " is at work on it",
				Culprit:   c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Progressing,
				Evidence: append(owner.Examine(see, c.Workload).Says,
					fmt.Sprintf("field manager %s wrote to the object %s, after its deletion began", m.Name, ago(see, m.At)), because(w, c)),
				Fix:      []stuck.Step{{What: "wait, and see what it is doing", Command: logs(c, "")}},
				IfForced: leaves(w),
			}}
		}
		return nil
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerCrashLooping is a controller that starts and ends, again and again.
var OwnerCrashLooping = Cause{
	ID:    "owner-crash-looping",
	Title: "The controller of a finalizer crashes again and again",
	Doc: Doc{
		Shows: "The controller's pods are in CrashLoopBackOff, or restart and are never ready.",
		Why:   "Its configuration or credentials are gone or wrong, it runs out of memory, or the API it needs is not served any more.",
		Fix:   "Read what it said before it ended, and repair that.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		return faulty(see, w, owner.FaultCrashes, "crashes again and again", func(c owner.Candidate) []stuck.Step {
			return []stuck.Step{{What: "see why it crashes", Command: logs(c, " --previous")}}
		})
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerNotReady is a controller that runs and is never ready.
var OwnerNotReady = Cause{
	ID:    "owner-not-ready",
	Title: "The controller of a finalizer runs, and is not ready",
	Doc: Doc{
		Shows: "The controller's pods are Running with no restarts, and none of them is ready; or their node does not answer.",
		Why:   "Its readiness probe fails: it waits for something at its start, for a lock or a peer, or hangs. Or its node is lost and its pods have not been replaced.",
		Fix:   "Look at its log and at its probe; look at the node.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		return faulty(see, w, owner.FaultNotReady, "runs and is not ready", func(c owner.Candidate) []stuck.Step {
			return append([]stuck.Step{{What: "see what it is doing", Command: logs(c, "")}}, describeOwner(c)...)
		})
	},
}

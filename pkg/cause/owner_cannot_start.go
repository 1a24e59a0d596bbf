package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerCannotStart is a controller that is wanted and does not come to run.
var OwnerCannotStart = Cause{
	ID:    "owner-cannot-start",
	Title: "The controller of a finalizer cannot start",
	Doc: Doc{
		Shows: "The controller's pods are Pending, cannot pull their image, or cannot be made at all.",
		Why:   "No node has room for it, its image is gone, a quota forbids it, or its ServiceAccount, ConfigMap or Secret does not exist.",
		Fix:   "Remove what keeps the pod from starting; the evidence quotes it.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		return faulty(see, w, owner.FaultCannotStart, "cannot start", describeOwner)
	},
}

func describeOwner(c owner.Candidate) []stuck.Step {
	return []stuck.Step{
		{What: "see what keeps it from running", Command: command(c.Namespace, "describe %s", c.Ref())},
		{What: "and its pods", Command: command(c.Namespace, "get pods,events")},
	}
}

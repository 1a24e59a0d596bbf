package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerScaledToZero is a controller that nobody wants to run.
var OwnerScaledToZero = Cause{
	ID:    "owner-scaled-to-zero",
	Title: "The controller of a finalizer is scaled to zero",
	Doc: Doc{
		Shows: "The controller's Deployment or StatefulSet exists and wants no replicas.",
		Why:   "It was scaled down for maintenance, by an autoscaler, or to stop it from interfering, and was never scaled up again.",
		Fix:   "Scale it up and let it finish.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		return faulty(see, w, owner.FaultScaledToZero, "is scaled to zero", func(c owner.Candidate) []stuck.Step {
			return []stuck.Step{{What: "scale it up again, and let it finish", Command: command(c.Namespace, "scale %s --replicas=1", c.Ref())}}
		})
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerScaledToZero is a controller that nobody wants to run.
var ControllerScaledToZero = kit.Cause{
	ID:    "controller-scaled-to-zero",
	Title: "The controller of a finalizer is scaled to zero",
	Doc: kit.Doc{
		Symptoms: "The controller's Deployment or StatefulSet exists and wants no replicas.",
		Why:      "It was scaled down for maintenance, by an autoscaler, or to stop it from interfering, and was never scaled up again.",
		Fix:      "Scale it up and let it finish.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultScaledToZero, "is scaled to zero", func(c controller.Candidate) []stuck.Step {
			return []stuck.Step{{Action: stuck.ActionChange, Description: "scale it up again, and let it finish", Command: stuck.Kubectlf(c.Namespace, "scale %s --replicas=1", c.Ref())}}
		})
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerScaledToZero is a controller that is scaled to 0.
var ControllerScaledToZero = kit.Cause{
	ID:    "controller-scaled-to-zero",
	Title: "The controller of a finalizer is scaled to 0",
	Doc: kit.Doc{
		Symptoms: "The Deployment or StatefulSet of the controller has `spec.replicas: 0`.",
		Why:      "The controller was scaled down for maintenance, by an autoscaler, or to prevent it from acting, and was not scaled up again.",
		Fix:      "Scale the controller up and let it finish.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultScaledToZero, "is scaled to 0", func(c controller.Candidate) []stuck.Step {
			return []stuck.Step{{Action: stuck.ActionChange, Description: "scale up " + c.Ref() + ", and let it finish", Command: stuck.Kubectlf(c.Namespace, "scale %s --replicas=1", c.Ref())}}
		})
	},
}

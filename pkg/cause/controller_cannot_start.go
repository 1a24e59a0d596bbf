package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerCannotStart is a controller that is wanted and does not come to run.
var ControllerCannotStart = kit.Cause{
	ID:    "controller-cannot-start",
	Title: "The controller of a finalizer cannot start",
	Doc: kit.Doc{
		Symptoms: "The controller's pods are Pending, cannot pull their image, or cannot be made at all.",
		Why:      "No node has room for it, its image is gone, a quota forbids it, or its ServiceAccount, ConfigMap or Secret does not exist.",
		Fix:      "Remove what keeps the pod from starting; the evidence quotes it.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultCannotStart, "cannot start", kit.DescribeSteps)
	},
}

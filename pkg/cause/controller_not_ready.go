package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerNotReady is a controller whose Pods run and are not ready.
var ControllerNotReady = kit.Cause{
	ID:    "controller-not-ready",
	Title: "The controller of a finalizer runs, but is not ready",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are Running with no restarts, and none of them is ready; or their node does not respond.",
		Why:      "The readiness probe of the controller fails: the controller hangs, or waits at startup for a lock or a peer, for example. Or the node of the controller does not respond, and the pods have not been replaced.",
		Fix:      "Look at the log of the controller, its readiness probe and its node.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultNotReady, "runs, but is not ready", func(c controller.Candidate) []stuck.Step {
			return append([]stuck.Step{{Action: stuck.ActionCheck, Description: "read the log of " + c.Ref(), Command: c.LogsCommand()}}, kit.DescribeSteps(c)...)
		})
	},
}

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
		Why:      "Its readiness probe fails: it waits for something when it starts, for a lock or a peer, or it hangs. Or its node does not respond and its pods have not been replaced.",
		Fix:      "Look at the log of the controller, at its readiness probe and at the node.",
		IfForced: "The cleanup by the controller is skipped: what it would have deleted is left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultNotReady, "runs, but is not ready", func(c controller.Candidate) []stuck.Step {
			return append([]stuck.Step{{Action: stuck.ActionCheck, Description: "read the log of " + c.Ref(), Command: kit.LogsCommand(c, "")}}, kit.DescribeSteps(c)...)
		})
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerNotReady is a controller that runs and is never ready.
var ControllerNotReady = kit.Cause{
	ID:    "controller-not-ready",
	Title: "The controller of a finalizer runs, and is not ready",
	Doc: kit.Doc{
		Symptoms: "The controller's pods are Running with no restarts, and none of them is ready; or their node does not answer.",
		Why:      "Its readiness probe fails: it waits for something at its start, for a lock or a peer, or hangs. Or its node is lost and its pods have not been replaced.",
		Fix:      "Look at its log and at its probe; look at the node.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultNotReady, "runs and is not ready", func(c controller.Candidate) []stuck.Step {
			return append([]stuck.Step{{Action: stuck.ActionChange, Description: "see what it is doing", Command: kit.LogsCommand(c, "")}}, kit.DescribeSteps(c)...)
		})
	},
}

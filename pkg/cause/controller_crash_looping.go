package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerCrashLooping is a controller that starts and ends, again and again.
var ControllerCrashLooping = kit.Cause{
	ID:    "controller-crash-looping",
	Title: "The controller of a finalizer crashes again and again",
	Doc: kit.Doc{
		Symptoms: "The controller's pods are in CrashLoopBackOff, or restart and are never ready.",
		Why:      "Its configuration or credentials are gone or wrong, it runs out of memory, or the API it needs is not served any more.",
		Fix:      "Read what it said before it ended, and repair that.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultCrashLooping, "crashes again and again", func(c controller.Candidate) []stuck.Step {
			return []stuck.Step{{Action: stuck.ActionChange, Description: "see why it crashes", Command: kit.LogsCommand(c, " --previous")}}
		})
	},
}

package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerCrashLooping is a controller that starts and ends repeatedly.
var ControllerCrashLooping = kit.Cause{
	ID:    "controller-crash-looping",
	Title: "The controller of a finalizer is crash-looping",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are in CrashLoopBackOff, or restart and are never ready.",
		Why:      "The configuration or credentials of the controller are missing or wrong, the controller runs out of memory, or an API that the controller needs is no longer served.",
		Fix:      "Read the log of the container that ended, and fix the error that the log reports.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		return kit.FaultFindings(view, w, controller.FaultCrashLooping, "is crash-looping", func(c controller.Candidate) []stuck.Step {
			return []stuck.Step{{Action: stuck.ActionCheck, Description: "read in the log why " + c.Ref() + " crashes", Command: stuck.Kubectlf(c.Namespace, "logs %s --previous", c.Ref())}}
		})
	},
}

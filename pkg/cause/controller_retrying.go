package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerRetrying is a controller that tries and fails.
var ControllerRetrying = kit.Cause{
	ID:    "controller-retrying",
	Title: "The controller of a finalizer tries again and again, and fails",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy. Since the deletion began, the object's own conditions or Warning events on it say what goes wrong.",
		Why:      "What it has to delete outside is still in use, it has lost its credentials, a dependency is gone, or it wants to create something in a namespace that is being deleted.",
		Fix:      "Do what the message asks for. If what it wants to delete is gone already and it cannot accept that, a forced removal is right.",
		IfForced: "What the controller could not delete stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) == 0 {
			return nil
		}
		reported, _ := kit.ReportedErrors(view, w)
		if len(reported) == 0 {
			return nil
		}
		c := candidates[0]
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s tries and fails: %s", kit.ControllerName(w, c), reported[0].Message),
			BlockedBy: w.Object.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  append(append(errorLines(reported), controller.CheckHealth(view, c.Workload).Evidence...), kit.CluesLine(w, c)),
			Steps: append([]stuck.Step{{Action: stuck.ActionChange, Description: "see what it says", Command: kit.LogsCommand(c, "")}},
				kit.CatalogSteps(w, "do what the message asks for; the controller then finishes by itself")...),
			OnForce: kit.CostWithoutController(w),
		}}
	},
}

func errorLines(reported []kit.ReportedError) []string {
	var out []string
	for _, c := range reported {
		out = append(out, c.Source+": "+c.Message)
	}
	return out
}

package cause

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// progressWindow is how long a controller's last sign of life on the object counts.
const progressWindow = 5 * time.Minute

// ControllerProgressing is a controller that is at work on the object.
var ControllerProgressing = kit.Cause{
	ID:    "controller-progressing",
	Title: "The controller of a finalizer is at work",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy, has written to the object since its deletion began, not long ago, and complains of nothing.",
		Why:      "Cleaning up takes its time: a volume is detached, a machine shut down, a database backed up.",
		Fix:      "Wait.",
		IfForced: "The work stops half way.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) == 0 {
			return nil
		}
		if reported, all := kit.ReportedErrors(view, w); len(reported) > 0 || !all {
			return nil
		}
		for _, m := range append(view.StatusManagers(w.Object), w.Setters...) {
			if controller.IsManualManager(m.Name) || controller.IsGenericManager(m.Name) && len(w.Candidates) > 1 || !m.LastWrite.After(w.Object.DeletionTime) || kit.Elapsed(view, m.LastWrite) > progressWindow {
				continue
			}
			c := candidates[0]
			return []stuck.Finding{{
				Message:   kit.ControllerName(w, c) + " is at work on it",
				BlockedBy: c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Progressing,
				Evidence: append(controller.CheckHealth(view, c.Workload).Evidence,
					fmt.Sprintf("field manager %s wrote to the object %s, after its deletion began", m.Name, kit.Ago(view, m.LastWrite)), kit.CluesLine(w, c)),
				Steps:   []stuck.Step{{Action: stuck.ActionChange, Description: "wait, and see what it is doing", Command: kit.LogsCommand(c, "")}},
				OnForce: kit.CostWithoutController(w),
			}}
		}
		return nil
	},
}

package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerProgressing is a controller that is cleaning up.
var ControllerProgressing = kit.Cause{
	ID:    "controller-progressing",
	Title: "The controller of a finalizer is cleaning up",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy, wrote to the object in the last minutes, after its deletion began, and reports no error. The deletion began less than an hour ago: later, such writes may be a heartbeat, and the verdict is `Unknown`.",
		Why:      "Cleanup takes time: a volume is detached, a machine is shut down, a database is backed up.",
		Fix:      "Wait.",
		IfForced: "The cleanup is interrupted.",
	},
	AfterDeletion: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) == 0 {
			return nil
		}
		if reported, all := kit.ReportedErrors(view, w); len(reported) > 0 || !all {
			return nil
		}
		if controller.IsSlow(view, w) {
			return nil // it may renew nothing but the time of a heartbeat
		}
		c := candidates[0]
		for _, m := range controller.Writers(view, w) {
			if !kit.MayWriteAs(m.Name, w, c) || controller.SetsOtherFinalizer(view, w, m.Name) || !m.LastWrite.After(w.Object.DeletionTime) || kit.Elapsed(view, m.LastWrite) > controller.ProgressWindow {
				continue
			}
			return []stuck.Finding{{
				Message:   kit.ControllerName(w, c) + " is cleaning up",
				BlockedBy: c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Progressing,
				Evidence: slices.Concat([]string{
					fmt.Sprintf("field manager %s wrote to the object %s, after its deletion began", m.Name, kit.Ago(view, m.LastWrite)),
				}, controller.ReportedState(view, w), controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
				Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "wait, and read the log of " + c.Ref(), Command: c.LogsCommand()}},
				OnForce: kit.CostWithoutController(w),
			}}
		}
		return nil
	},
}

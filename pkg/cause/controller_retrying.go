package cause

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerRetrying is a controller that retries and fails.
var ControllerRetrying = kit.Cause{
	ID:    "controller-retrying",
	Title: "The controller of a finalizer retries and fails",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy. Since the deletion began, conditions or Warning events of the object report an error.",
		Why:      "An external resource is still in use, the credentials are missing, a dependency does not exist, or the controller tries to create an object in a namespace that is being deleted.",
		Fix:      "Fix what the error reports; a permission that is missing is named. If the external resource no longer exists and the controller does not handle a missing resource, remove the finalizer by force.",
		IfForced: "The resources that the controller could not delete are left behind.",
	},
	AfterDeletion: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) == 0 {
			return nil
		}
		reported, _ := kit.ReportedErrors(view, w)
		if len(reported) == 0 {
			return nil
		}
		quoted, known := kit.QuotedErrorOf(view, w)
		if known && !quoted.Unclear {
			return nil // a cause of its own says more
		}
		c := candidates[0]
		errors := errorLines(reported)
		f := stuck.Finding{
			Message:   kit.ControllerName(w, c) + " retries and fails",
			BlockedBy: w.Object.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Errors:    errors,
			Evidence:  slices.Concat(errors, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
			Steps: append([]stuck.Step{{Action: stuck.ActionCheck, Description: "read the log of " + c.Ref(), Command: c.LogsCommand()}},
				slices.DeleteFunc(kit.CatalogSteps(w, "fix what the error reports; the controller then retries"), func(s stuck.Step) bool { return s.ReadsLogs })...),
			OnForce: kit.CostWithoutController(w),
		}
		if forbidden, ok := quotedForbidden(reported, c); ok {
			addForbidden(view, &f, forbidden)
		}
		if quoted.Unclear {
			f.Steps = nil // it may be a webhook
		}
		return []stuck.Finding{f}
	},
}

func errorLines(reported []kit.ReportedError) []string {
	var out []string
	for _, c := range reported {
		out = append(out, c.Source+": "+c.Message)
	}
	return out
}

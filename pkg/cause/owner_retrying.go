package cause

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerRetrying is a controller that tries and fails.
var ControllerRetrying = Cause{
	ID:    "owner-retrying",
	Title: "The controller of a finalizer tries again and again, and fails",
	Doc: Doc{
		Symptoms: "The controller is healthy. Since the deletion began, the object's own conditions or Warning events on it say what goes wrong.",
		Why:      "What it has to delete outside is still in use, it has lost its credentials, a dependency is gone, or it wants to create something in a namespace that is being deleted.",
		Fix:      "Do what the message asks for. If what it wants to delete is gone already and it cannot accept that, a forced removal is right.",
		IfForced: "What the controller could not delete stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := runningCandidates(view, w)
		if len(candidates) == 0 {
			return nil
		}
		reported, _ := reportedErrors(view, w)
		if len(reported) == 0 {
			return nil
		}
		c := candidates[0]
		return []stuck.Finding{{
			Summary:   fmt.Sprintf("%s tries and fails: %s", controllerName(w, c), reported[0].message),
			Culprit:   w.Object.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  append(append(errorLines(reported), controller.CheckHealth(view, c.Workload).Evidence...), cluesLine(w, c)),
			Fix: append([]stuck.Step{{What: "see what it says", Command: logsCommand(c, "")}},
				catalogSteps(w, "do what the message asks for; the controller then finishes by itself")...),
			IfForced: costWithoutController(w),
		}}
	},
}

// reportedError is something that went wrong, as a controller wrote it down.
type reportedError struct{ source, message string }

func errorLines(reported []reportedError) []string {
	var out []string
	for _, c := range reported {
		out = append(out, c.source+": "+c.message)
	}
	return out
}

// reportedErrors are what the object's Warning events and conditions say has gone
// wrong since its deletion began, and whether all of them could be read.
func reportedErrors(view *cluster.View, w controller.Controller) (out []reportedError, all bool) {
	events, conditions := view.Events(w.Object), view.Conditions(w.Object)
	for _, e := range events.Items {
		if e.Type == corev1.EventTypeWarning && !cluster.LastEventTime(e).Before(w.Object.DeletionTime) && e.Message != "" {
			out = append(out, reportedError{fmt.Sprintf("event %s (%d times)", e.Reason, max(e.Count, 1)), apitext.Shorten(e.Message)})
		}
	}
	for _, c := range conditions.Items {
		if isFailureCondition(c) && c.Message != "" && hasActed(view, w) {
			out = append(out, reportedError{conditionText(c), apitext.Shorten(c.Message)})
		}
	}
	return slices.Compact(out), events.Complete && conditions.Complete
}

// isFailureCondition reports whether a condition speaks of a failure: one that is good when
// True and is False, or one that is bad by its name and is True. The conditions
// of Argo CD have no status: they are there or not (argoproj/argo-cd
// pkg/apis/application/v1alpha1/types.go, ApplicationCondition).
func isFailureCondition(c cluster.Condition) bool {
	for _, bad := range []string{"error", "fail", "degraded", "stalled"} {
		if strings.Contains(strings.ToLower(c.Type), bad) {
			return c.Status == "True" || c.Status == ""
		}
	}
	return c.Status == "False"
}

// conditionText is how a condition stands, as far as it says.
func conditionText(c cluster.Condition) string {
	out := "condition " + c.Type
	if c.Status != "" {
		out += " is " + c.Status
	}
	if c.Reason != "" {
		out += " (" + c.Reason + ")"
	}
	return out
}

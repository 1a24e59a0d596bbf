package kit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

// ReportedError is something that went wrong, as a controller wrote it down.
type ReportedError struct {
	Source string
	// Message is the beginning of Text, fit to be printed.
	Message string
	Text    string
}

func newReportedError(source, text string) ReportedError {
	return ReportedError{Source: source, Message: apitext.Shorten(text), Text: text}
}

// ReportedErrors are what the object's Warning events, its conditions and the
// sentences in its status say has gone wrong since its deletion began, and whether
// all of them could be read.
func ReportedErrors(view *cluster.View, w controller.Controller) (out []ReportedError, all bool) {
	events, conditions, texts := view.Events(w.Object), view.Conditions(w.Object), view.StatusTexts(w.Object)
	for _, e := range events.Items {
		if e.Type == corev1.EventTypeWarning && !cluster.LastEventTime(e).Before(w.Object.DeletionTime) && e.Message != "" {
			out = append(out, newReportedError(fmt.Sprintf("event %s (%d times)", e.Reason, max(e.Count, 1)), e.Message))
		}
	}
	for _, c := range conditions.Items {
		if isFailureCondition(c) && c.Message != "" && controller.HasWrittenSinceDeletion(view, w) {
			out = append(out, newReportedError(conditionText(c), c.Message))
		}
	}
	for _, text := range texts.Items {
		if controller.HasWrittenSinceDeletion(view, w) {
			out = append(out, newReportedError(text.Field, text.Text))
		}
	}
	return slices.Compact(out), events.Complete && conditions.Complete && texts.Complete
}

// isFailureCondition reports whether a condition mentions a failure: one that is good when
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

package kit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

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
	out = append(out, eventErrors(events.Items, w.Object.DeletionTime)...)
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

// numbers are what differs in the messages of one error: ports, times, counts.
var numbers = regexp.MustCompile(`\d+`)

// eventErrors are the Warning events that were last seen since a moment. Those that differ in numbers alone are one, in the words
// of the newest: the recorder of a controller keeps up to ten of them apart (client-go tools/record/events_cache.go).
func eventErrors(events []corev1.Event, since time.Time) []ReportedError {
	counts, newest, order := map[string]int32{}, map[string]corev1.Event{}, []string{}
	for _, e := range events {
		e.Message = strings.TrimPrefix(e.Message, "(combined from similar events): ")
		if e.Type != corev1.EventTypeWarning || cluster.LastEventTime(e).Before(since) || e.Message == "" || isOfPodLifecycle(e) {
			continue
		}
		key := e.Reason + " " + numbers.ReplaceAllString(e.Message, "0")
		if counts[key] == 0 {
			order = append(order, key)
		}
		if counts[key] == 0 || cluster.LastEventTime(newest[key]).Before(cluster.LastEventTime(e)) {
			newest[key] = e
		}
		counts[key] += max(e.Count, 1)
	}
	var out []ReportedError
	for _, key := range order {
		out = append(out, newReportedError(fmt.Sprintf("event %s (%d times)", newest[key].Reason, counts[key]), newest[key].Message))
	}
	return out
}

// podReporters are the parts of Kubernetes that report how a pod is scheduled, started, kept and stopped. None of them
// removes a finalizer (pkg/kubelet/server/server.go, pkg/controller/nodelifecycle, tainteviction and volume/attachdetach).
var podReporters = []string{corev1.DefaultSchedulerName, "attachdetach-controller", "kubelet", "node-controller", "taint-eviction-controller"}

// isOfPodLifecycle says that an event is not of the controller of a finalizer. Every scheduler gives this reason, also to a
// pod for no other fault than that it is being deleted (pkg/scheduler/schedule_one.go, skipPodSchedule).
func isOfPodLifecycle(e corev1.Event) bool {
	return e.Reason == "FailedScheduling" || slices.Contains(podReporters, e.ReportingController) || slices.Contains(podReporters, e.Source.Component)
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

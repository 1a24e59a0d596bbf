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
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
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
// all of them could be read. The status of a built-in type is of Kubernetes itself: that a
// pod is not ready, or that no content of a namespace remains, is no error of who is to remove a finalizer.
func ReportedErrors(view *cluster.View, w controller.Controller) (out []ReportedError, all bool) {
	events := view.Events(w.Object)
	out = eventErrors(events.Items, w.Object.DeletionTime)
	if stuck.IsBuiltInGroup(w.Object.Type.Group) {
		return out, events.Complete
	}
	conditions, texts := view.Conditions(w.Object), view.StatusTexts(w.Object)
	if controller.HasReportedSinceDeletion(view, w) {
		out = append(out, statusErrors(conditions.Items, texts.Items)...)
	}
	return slices.Compact(out), events.Complete && conditions.Complete && texts.Complete
}

func statusErrors(conditions []cluster.Condition, texts []cluster.StatusText) []ReportedError {
	var out []ReportedError
	for _, c := range conditions {
		if isFailureCondition(c) && c.Message != "" {
			out = append(out, newReportedError(controller.ConditionText(c), c.Message))
		}
	}
	for _, text := range texts {
		out = append(out, newReportedError(text.Field, text.Text))
	}
	return out
}

// numbers are what differs in the messages of one error: ports, times, counts.
var numbers = regexp.MustCompile(`\d+`)

// eventErrors are the Warning events that were last seen since a moment. Those that differ in numbers alone are one, in the words
// of the newest: the recorder of a controller keeps up to ten of them apart (client-go tools/record/events_cache.go).
func eventErrors(events []corev1.Event, since time.Time) []ReportedError {
	counts, newest, order := map[string]int32{}, map[string]corev1.Event{}, []string{}
	for _, e := range events {
		e.Message = strings.TrimPrefix(e.Message, "(combined from similar events): ")
		if e.Type != corev1.EventTypeWarning || cluster.LastEventTime(e).Before(since) || e.Message == "" || isOfKubernetes(e) {
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

// reporters are the parts of Kubernetes that write events about objects and remove no finalizer that a workload removes: they report
// how a pod is scheduled, started and stopped, and how objects do that are in use (cmd/kube-controller-manager/app, each controller's
// EventSource). A cloud's service-controller is none of them.
var reporters = []string{
	corev1.DefaultSchedulerName, "kubelet", "attachdetach-controller", "node-controller", "taint-eviction-controller",
	"cidrAllocator", "controllermanager", "cronjob-controller", "daemonset-controller", "deployment-controller", "endpoint-controller",
	"endpoint-slice-controller", "endpoint-slice-mirroring-controller", "ephemeral_volume", "garbage-collector-controller",
	"horizontal-pod-autoscaler", "job-controller", "persistentvolume-controller", "replicaset-controller", "replication-controller",
	"resource_claim", "selinux_warning", "statefulset-controller", "volume_expand",
}

// isOfKubernetes reports whether an event is not of the controller of a finalizer. Every scheduler gives this reason, also to a
// pod for no other fault than that it is being deleted (pkg/scheduler/schedule_one.go, skipPodSchedule).
func isOfKubernetes(e corev1.Event) bool {
	return e.Reason == "FailedScheduling" || slices.Contains(reporters, e.ReportingController) || slices.Contains(reporters, e.Source.Component)
}

// failureType is the type of a condition that is bad when it is True. A failover is not.
var failureType = regexp.MustCompile(`(?i)error|fail([^o]|$)|degraded|stalled`)

// isFailureCondition reports whether a condition mentions a failure: one that is bad by its
// name and is True, or another that is False for a reason, or with a message, that is a failure. That an object is not ready
// while it is being deleted, or that nothing is progressing, is none. The conditions
// of Argo CD have no status: they are there or not (argoproj/argo-cd
// pkg/apis/application/v1alpha1/types.go, ApplicationCondition).
func isFailureCondition(c cluster.Condition) bool {
	if failureType.MatchString(c.Type) {
		return c.Status == "True" || c.Status == ""
	}
	return c.Status == "False" && (cluster.MentionsFailure(c.Reason) || cluster.MentionsFailure(c.Message))
}

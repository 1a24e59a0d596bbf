package controller

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Fault is what keeps a controller from working.
type Fault string

// The faults of a workload.
const (
	// FaultNone means that nothing is wrong, or that nothing could be seen.
	FaultNone Fault = ""
	// FaultScaledToZero means that nobody wants it to run.
	FaultScaledToZero Fault = "scaled to zero"
	// FaultCrashLooping means that it starts and ends, again and again.
	FaultCrashLooping Fault = "crashes"
	// FaultCannotStart means that it is wanted and does not come to run.
	FaultCannotStart Fault = "cannot start"
	// FaultNotReady means that it runs and is not ready.
	FaultNotReady Fault = "not ready"
)

// Health is how a workload does.
type Health struct {
	Alive stuck.RunState
	Fault Fault
	// Root is what is behind the fault, where that is known.
	Root Root
	// Evidence are what is to be seen, the first of them the fault in a few words.
	Evidence []string
}

// CheckHealth says how a workload does, and what is wrong with it.
func CheckHealth(view *cluster.View, w cluster.Workload) Health {
	says := fmt.Sprintf("%s: %d of %d ready", w.RefInNamespace(), w.Ready, w.Desired)
	if w.Deleting {
		says += ", being deleted"
	}
	switch {
	case w.Ready > 0:
		return Health{Alive: stuck.Running, Evidence: []string{says}}
	case w.Desired == 0 && w.Type.Kind == "DaemonSet":
		return Health{Alive: stuck.NotRunning, Fault: FaultCannotStart, Evidence: []string{says, w.Ref() + " matches no node"}}
	case w.Desired == 0:
		return Health{Alive: stuck.NotRunning, Fault: FaultScaledToZero, Evidence: []string{says, scaledToZeroLine(view, w)}}
	}
	if w.Selector == nil {
		return Health{Alive: stuck.RunStateUnknown, Evidence: []string{says}} // whose Pods cannot be told from others
	}
	pods := view.WorkloadPods(w)
	if !pods.Complete {
		return Health{Alive: stuck.RunStateUnknown, Evidence: []string{says}}
	}
	if i := slices.IndexFunc(pods.Items, cluster.IsPodReady); i >= 0 {
		// Its own status has not caught up with its Pods.
		return Health{Alive: stuck.Running, Evidence: []string{says, "pod/" + pods.Items[i].Name + " is ready; the status of " + w.Ref() + " is out of date"}}
	}
	fault, root, why := workloadFault(view, w, pods.Items)
	why = append(why, root.Evidence...)
	if w.ProgressFailure != "" {
		why = append(why, w.Ref()+" makes no progress: "+w.ProgressFailure)
	}
	return Health{Alive: stuck.NotRunning, Fault: fault, Root: root, Evidence: append([]string{says}, why...)}
}

// scaledToZeroLine says since when a workload is scaled to zero, as far as its events
// still tell.
func scaledToZeroLine(view *cluster.View, w cluster.Workload) string {
	var last time.Time
	for _, e := range view.Events(stuck.Object{Namespace: w.Namespace, UID: w.UID}).Items {
		if apitext.IsScaledToZero(e.Message) {
			if at := cluster.LastEventTime(e); at.After(last) {
				last = at
			}
		}
	}
	if last.IsZero() {
		return w.Ref() + " is scaled to 0"
	}
	return w.Ref() + " was scaled to 0" + agoText(view, last)
}

// isEndedOrDeleting reports whether a Pod is being deleted or has ended: what is wrong
// with it proves nothing about the Pods that replace it.
func isEndedOrDeleting(pod corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// workloadFault is the fault that the Pods of a workload show, and what is behind it.
func workloadFault(view *cluster.View, w cluster.Workload, pods []corev1.Pod) (Fault, Root, []string) {
	if w.Deleting {
		return FaultCannotStart, namespaceRoot(view, w), []string{w.Ref() + " is being deleted"}
	}
	if current := slices.DeleteFunc(slices.Clone(pods), isEndedOrDeleting); len(current) > 0 {
		pods = current
	}
	if len(pods) == 0 {
		if failure, line := creationFailure(view, w); failure != "" {
			return FaultCannotStart, creationRoot(view, w, failure), []string{line}
		}
		return FaultCannotStart, namespaceRoot(view, w), []string{w.Ref() + " has no pods"}
	}
	var fault Fault
	var root Root
	var why []string
	for _, pod := range pods {
		f, says := podFault(view, pod)
		if fault == FaultNone || f == FaultCrashLooping && fault != FaultCrashLooping {
			fault, root = f, podRoot(view, pod, f)
		}
		if len(why) < 3 {
			why = append(why, says)
		}
	}
	return fault, root, why
}

// podFault is why a Pod is not ready.
func podFault(view *cluster.View, pod corev1.Pod) (Fault, string) {
	name := "pod/" + pod.Name
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if last := status.LastTerminationState.Terminated; last != nil && !status.Ready {
			return FaultCrashLooping, fmt.Sprintf("%s: container %s restarted %d times, last exit: %s", name, status.Name, status.RestartCount, terminationReason(*last))
		}
		if waiting := status.State.Waiting; waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
			return FaultCannotStart, strings.TrimRight(fmt.Sprintf("%s: container %s is waiting: %s: %s", name, status.Name, waiting.Reason, waiting.Message), ": ")
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return FaultCannotStart, fmt.Sprintf("%s is not scheduled: %s: %s", name, c.Reason, c.Message)
		}
	}
	if clause := nodeProblem(view, pod.Spec.NodeName); clause != "" {
		return FaultNotReady, fmt.Sprintf("%s is on node/%s, which %s", name, pod.Spec.NodeName, clause)
	}
	return FaultNotReady, fmt.Sprintf("%s is %s and not ready", name, cmp.Or(pod.Status.Phase, corev1.PodUnknown))
}

// terminationReason is how a container ended: OOMKilled, or its exit code, and its last
// words.
func terminationReason(t corev1.ContainerStateTerminated) string {
	says := fmt.Sprintf("%s (exit code %d)", t.Reason, t.ExitCode)
	if t.Message != "" {
		says += ": " + apitext.Shorten(t.Message)
	}
	return says
}

// nodeProblem is what is wrong with a node, nothing where that is not known or no node is
// named.
func nodeProblem(view *cluster.View, name string) string {
	if name == "" {
		return ""
	}
	switch node := view.Node(name); {
	case node.Absent():
		return "does not exist"
	case node.Found() && isNodeUnreachable(*node.Value):
		return "does not respond"
	}
	return ""
}

func isNodeUnreachable(node corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionUnknown
		}
	}
	return false
}

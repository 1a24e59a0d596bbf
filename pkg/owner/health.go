package owner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
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
	// FaultCrashes means that it starts and ends, again and again.
	FaultCrashes Fault = "crashes"
	// FaultCannotStart means that it is wanted and does not come to run.
	FaultCannotStart Fault = "cannot start"
	// FaultNotReady means that it runs and is not ready.
	FaultNotReady Fault = "not ready"
)

// Health is how a workload does.
type Health struct {
	Alive stuck.Alive
	Fault Fault
	// Says are what is to be seen, the first of them the fault in a few words.
	Says []string
}

// Examine says how a workload does, and what is wrong with it.
func Examine(see *cluster.View, w cluster.Workload) Health {
	says := fmt.Sprintf("%s in namespace %s: %d of %d ready", w.Ref(), w.Namespace, w.Ready, w.Desired)
	if w.Deleting {
		says += ", itself being deleted"
	}
	switch {
	case w.Ready > 0:
		return Health{Alive: stuck.AliveYes, Says: []string{says}}
	case w.Desired == 0 && w.Type.Kind == "DaemonSet":
		return Health{Alive: stuck.AliveNo, Fault: FaultCannotStart, Says: []string{says, "there is no node for it to run on"}}
	case w.Desired == 0:
		return Health{Alive: stuck.AliveNo, Fault: FaultScaledToZero, Says: []string{says, scaled(see, w)}}
	}
	if w.Selector == nil {
		return Health{Alive: stuck.AliveUnknown, Says: []string{says}} // whose Pods cannot be told from others
	}
	pods := see.PodsOf(w)
	if !pods.Complete {
		return Health{Alive: stuck.AliveUnknown, Says: []string{says}}
	}
	if i := slices.IndexFunc(pods.Items, IsReady); i >= 0 {
		// Its own status has not caught up with its Pods.
		return Health{Alive: stuck.AliveYes, Says: []string{says, "yet pod/" + pods.Items[i].Name + " is ready"}}
	}
	fault, why := worst(see, w, pods.Items)
	if w.Stalled != "" {
		why = append(why, "it makes no progress: "+w.Stalled)
	}
	return Health{Alive: stuck.AliveNo, Fault: fault, Says: append([]string{says}, why...)}
}

// scaled says since when a workload is scaled to zero, as far as its events
// still tell.
func scaled(see *cluster.View, w cluster.Workload) string {
	var last time.Time
	for _, e := range see.Events(stuck.Object{Namespace: w.Namespace, UID: w.UID}).Items {
		// "Scaled down replica set web-5d6 from 1 to 0", the other way round in
		// some versions (kubernetes/pkg/controller/deployment/sync.go).
		if strings.HasSuffix(e.Message, " to 0") || strings.Contains(e.Message, " to 0 from ") {
			if at := LastSeen(e); at.After(last) {
				last = at
			}
		}
	}
	if last.IsZero() {
		return "it is scaled to zero"
	}
	return "it was scaled to zero" + ago(see, last)
}

// LastSeen is when an event last happened, by whichever of its times is set;
// zero where none is.
func LastSeen(e corev1.Event) (last time.Time) {
	last = e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	return last
}

// IsReady says whether a Pod is ready, and not on its way out.
func IsReady(pod corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// isOver says whether a Pod is on its way out, or at its end: what is wrong
// with it says nothing of those that replace it.
func isOver(pod corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// worst is the fault that the Pods of a workload show.
func worst(see *cluster.View, w cluster.Workload, pods []corev1.Pod) (Fault, []string) {
	if w.Deleting {
		return FaultCannotStart, []string{"it is being deleted itself"}
	}
	if current := slices.DeleteFunc(slices.Clone(pods), isOver); len(current) > 0 {
		pods = current
	}
	if len(pods) == 0 {
		if w.Failure != "" {
			return FaultCannotStart, []string{"no pod can be made: " + w.Failure}
		}
		return FaultCannotStart, []string{"it has no pods"}
	}
	var fault Fault
	var why []string
	for _, pod := range pods {
		f, says := podFault(see, pod)
		if fault == FaultNone || f == FaultCrashes {
			fault = f
		}
		if len(why) < 3 {
			why = append(why, says)
		}
	}
	return fault, why
}

// podFault is why a Pod is not ready.
func podFault(see *cluster.View, pod corev1.Pod) (Fault, string) {
	name := "pod/" + pod.Name
	for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		if last := status.LastTerminationState.Terminated; last != nil && !status.Ready {
			return FaultCrashes, fmt.Sprintf("%s: container %s restarted %d times, last because of %s", name, status.Name, status.RestartCount, ended(*last))
		}
		if waits := status.State.Waiting; waits != nil && waits.Reason != "ContainerCreating" && waits.Reason != "PodInitializing" {
			return FaultCannotStart, strings.TrimRight(fmt.Sprintf("%s: container %s waits: %s: %s", name, status.Name, waits.Reason, waits.Message), ": ")
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return FaultCannotStart, fmt.Sprintf("%s is not scheduled: %s: %s", name, c.Reason, c.Message)
		}
	}
	if node := see.Node(pod.Spec.NodeName); pod.Spec.NodeName != "" && (node.Absent() || node.Found() && silent(*node.Value)) {
		return FaultNotReady, fmt.Sprintf("%s is on node %s, which does not answer", name, pod.Spec.NodeName)
	}
	return FaultNotReady, fmt.Sprintf("%s is %s and not ready", name, cmp.Or(pod.Status.Phase, corev1.PodUnknown))
}

// ended is how a container ended: OOMKilled, or its exit code, and its last
// words.
func ended(t corev1.ContainerStateTerminated) string {
	says := fmt.Sprintf("%s (exit code %d)", t.Reason, t.ExitCode)
	if t.Message != "" {
		says += ": " + Shorten(t.Message)
	}
	return says
}

func silent(node corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionUnknown
		}
	}
	return false
}

// mostWords is how much of a message is quoted.
const mostWords = 200

// Shorten is the beginning of a message, in one line.
func Shorten(message string) string {
	text := strings.Join(strings.Fields(message), " ")
	if runes := []rune(text); len(runes) > mostWords {
		return string(runes[:mostWords]) + "..."
	}
	return text
}

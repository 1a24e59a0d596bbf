package owner

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

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
	case w.Desired == 0:
		return Health{Alive: stuck.AliveNo, Fault: FaultScaledToZero, Says: []string{says, scaled(see, w)}}
	}
	pods := see.PodsOf(w)
	if !pods.Complete {
		return Health{Alive: stuck.AliveUnknown, Says: []string{says}}
	}
	fault, why := worst(see, w, pods.Items)
	return Health{Alive: stuck.AliveNo, Fault: fault, Says: append([]string{says}, why...)}
}

// scaled says since when a workload is scaled to zero, as far as its events
// still tell.
func scaled(see *cluster.View, w cluster.Workload) string {
	for _, e := range see.Events(stuck.Object{Namespace: w.Namespace, UID: w.UID}).Items {
		if strings.HasSuffix(e.Message, " to 0") {
			return fmt.Sprintf("it was scaled to zero %s ago", duration.HumanDuration(see.Now().Sub(e.LastTimestamp.Time)))
		}
	}
	return "it is scaled to zero"
}

// worst is the fault that the Pods of a workload show.
func worst(see *cluster.View, w cluster.Workload, pods []corev1.Pod) (Fault, []string) {
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
	return FaultNotReady, fmt.Sprintf("%s is %s and not ready", name, pod.Status.Phase)
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

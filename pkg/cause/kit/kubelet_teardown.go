package kit

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unmountTime is how long a kubelet may take to unmount volumes and to remove
// what is left of a Pod once its containers have stopped. It needs seconds.
const unmountTime = time.Minute

// KillErrorReasons are the events by which the kubelet reports that it could not stop a
// Pod that is being deleted (kubernetes/pkg/kubelet/events/event.go; written in
// SyncTerminatingPod and in pod_workers.go).
var KillErrorReasons = []string{"FailedKillPod", "ExceededGracePeriod"}

// PodOnReadyNode is a Pod whose kubelet runs and has not yet reported that the Pod is
// down. The kubelet does so by deleting the Pod with no grace period, and that is then
// what stands in the Pod if anything else still holds it
// (kubernetes/pkg/kubelet/status/status_manager.go).
func PodOnReadyNode(view *cluster.View, o stuck.Object) (*corev1.Pod, bool) {
	pod, ok := cluster.ReadObject[corev1.Pod](view, o)
	if !ok || pod.Spec.NodeName == "" || pod.DeletionGracePeriodSeconds == nil || *pod.DeletionGracePeriodSeconds == 0 {
		return nil, false
	}
	node := view.Node(pod.Spec.NodeName)
	return pod, node.Found() && isNodeReady(*node.Value)
}

// IsCleanupOverdue reports whether the kubelet has had the time to clean up a Pod whose
// containers have stopped. A final DELETE that is rejected looks the same.
func IsCleanupOverdue(view *cluster.View, o stuck.Object) bool {
	return o.StuckDuration(view.Now()) >= unmountTime && (len(o.Finalizers) > 0 || len(WebhooksRejectingDelete(view, o).Items) == 0)
}

func isNodeReady(node corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// AllContainersStopped reports whether every container of the Pod is known to have ended.
func AllContainersStopped(pod corev1.Pod) bool {
	all := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses)
	running := slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool { return s.State.Terminated == nil })
	return len(pod.Status.ContainerStatuses) == len(pod.Spec.Containers) && !running
}

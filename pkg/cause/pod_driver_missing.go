package cause

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// addDriverDaemonSets adds to a finding the DaemonSets that run a driver which is missing on
// a node.
func addDriverDaemonSets(view *cluster.View, f *stuck.Finding, driver, node string) {
	for _, ds := range kit.DriverDaemonSets(view, driver).Items {
		addMissingDaemonSet(view, f, ds, "mounts the plugin folder of the driver", node)
	}
}

// addMissingDaemonSet adds to a finding a DaemonSet that is missing on a node, why it is the
// one, and the step that says why it has no Pod there.
func addMissingDaemonSet(view *cluster.View, f *stuck.Finding, ds appsv1.DaemonSet, why, node string) {
	name := "daemonset/" + ds.Name + stuck.InNamespace(ds.Namespace)
	f.Evidence = append(f.Evidence, fmt.Sprintf("%s %s: %d of %d ready%s", name, why, ds.Status.NumberReady, ds.Status.DesiredNumberScheduled, missingOnNode(view, ds, node)))
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionCheck,
		Description: fmt.Sprintf("see why %s has no ready pod on node/%s (nodeSelector, affinity, tolerations)", name, node),
		Command:     stuck.Kubectlf(ds.Namespace, "describe daemonset %s", ds.Name),
	})
}

// missingOnNode says that a DaemonSet has no Pod on a node, where that is known.
func missingOnNode(view *cluster.View, ds appsv1.DaemonSet, node string) string {
	pods := view.PodsOnNode(node)
	if !pods.Complete || slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, &ds) }) {
		return ""
	}
	return ", no pod on node/" + node
}

// stoppedPod is a Pod whose containers have stopped, and whose kubelet runs and should have
// cleaned up by now.
func stoppedPod(view *cluster.View, o stuck.Object) (*corev1.Pod, bool) {
	pod, ok := kit.PodOnReadyNode(view, o)
	return pod, ok && kit.AllContainersStopped(*pod) && kit.IsCleanupOverdue(view, o)
}

// stoppedPodEvidence is why nothing but the kubelet's cleanup is left of a Pod.
func stoppedPodEvidence(view *cluster.View, pod corev1.Pod) []string {
	return []string{
		fmt.Sprintf("all containers have stopped, and the pod is %s past its grace period", kit.ElapsedText(view, pod.DeletionTimestamp.Time)),
		fmt.Sprintf("node/%s is Ready, and its kubelet has not reported that the pod is down", pod.Spec.NodeName),
	}
}

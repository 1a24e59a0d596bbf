package kit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RecreatedClause says which controller would recreate a Pod that is deleted, if one would.
func RecreatedClause(pod corev1.Pod, o stuck.Object) string {
	if owner, ok := o.ControllerReference(); ok && !hasEnded(pod) {
		return fmt.Sprintf("; %s/%s would recreate it", strings.ToLower(owner.Kind), owner.Name)
	}
	return ""
}

// hasEnded reports whether a Pod has completed, so that nothing recreates it.
func hasEnded(pod corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// scalableKinds are the kinds, besides a ReplicaSet's Deployment, that are told how
// many Pods to run.
var scalableKinds = []string{"StatefulSet", "Deployment", "ReplicaSet", "ReplicationController"}

// StopPodStep is the step that ends a Pod for good.
func StopPodStep(view *cluster.View, pod corev1.Pod, o stuck.Object) stuck.Step {
	owner, ok := o.ControllerReference()
	if !ok || hasEnded(pod) {
		return stuck.Step{Action: stuck.ActionDelete, Description: "delete the pod", Command: stuck.Kubectlf(o.Namespace, "delete pod %s", o.Name)}
	}
	if owner.Kind == "ReplicaSet" {
		if parent, ok := view.ReplicaSetOwner(o.Namespace, owner.Name); ok {
			owner = parent
		}
	}
	if slices.Contains(scalableKinds, owner.Kind) {
		return stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("scale down %s/%s, which would recreate the pod", strings.ToLower(owner.Kind), owner.Name), Command: stuck.Kubectlf(o.Namespace, "scale %s %s --replicas=0", strings.ToLower(owner.Kind), owner.Name)}
	}
	return stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("see the pod, which %s/%s would recreate: stop that first", strings.ToLower(owner.Kind), owner.Name), Command: stuck.Kubectlf(o.Namespace, "describe pod %s", o.Name)}
}

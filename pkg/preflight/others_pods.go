package preflight

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// addUnexaminedPods adds a gap for each deleted Pod that may write objects which are not deleted, and belongs to no
// Deployment, StatefulSet or DaemonSet: controllers are looked for among these alone.
func (s otherSearch) addUnexaminedPods() {
	type account struct{ namespace, name string }
	known := map[account]bool{}
	for _, w := range s.stopped {
		known[account{w.Namespace, w.ServiceAccountName()}] = true
	}
	for _, o := range s.deleted.all {
		if !s.after.endedPods[o.UID] {
			continue
		}
		for _, pod := range s.present.Pods(o.Namespace).Items {
			w := cluster.Workload{Namespace: pod.Namespace}
			w.PodTemplate.Spec = pod.Spec
			a := account{w.Namespace, w.ServiceAccountName()}
			ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
			if pod.UID != o.UID || ended || known[a] {
				continue
			}
			known[a] = true
			if controller.MayWriteOutside(s.present, w, s.deleted.namespaces) {
				s.present.AddGaps(stuck.Gap{
					Source: "whether " + o.RefInNamespace() + " is the controller of objects that are not deleted",
					Error:  "it may write them, and belongs to no deployment, statefulset or daemonset",
				})
			}
		}
	}
}

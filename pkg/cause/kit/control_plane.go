package kit

import (
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ManagerFinalizers are the finalizers of the object that kube-controller-manager
// removes.
func ManagerFinalizers(o stuck.Object) []string {
	known := []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, FinalizerClaim, FinalizerVolume, FinalizerJob}
	var out []string
	for _, f := range slices.Concat(o.Finalizers, o.SpecFinalizers) {
		if slices.Contains(known, f) || o.IsNamespace() && f == FinalizerKubernetes {
			out = append(out, f)
		}
	}
	return out
}

func ControllerManagerLease(view *cluster.View) cluster.Answer[coordinationv1.Lease] {
	return view.Lease("kube-system", "kube-controller-manager")
}

// NeedsControllerManager reports whether kube-controller-manager has to finish
// the deletion of the object.
func NeedsControllerManager(o stuck.Object) bool {
	return o.Deleting() && (o.IsNamespace() || len(ManagerFinalizers(o)) > 0)
}

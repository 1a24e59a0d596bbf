package kit

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerManagerFinalizers are the finalizers of the object that kube-controller-manager
// removes.
func ControllerManagerFinalizers(o stuck.Object) []string {
	known := []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, FinalizerClaim, FinalizerVolume, FinalizerJob, FinalizerDeviceClaim, FinalizerServiceCIDR}
	var out []string
	for _, f := range slices.Concat(o.Finalizers, o.SpecFinalizers) {
		if slices.Contains(known, f) || o.IsNamespace() && f == FinalizerKubernetes {
			out = append(out, f)
		}
	}
	return out
}

// ControllerManagerLease is the Lease that kube-controller-manager leads by.
func ControllerManagerLease(view *cluster.View) cluster.Answer[cluster.Lease] {
	return view.Lease(metav1.NamespaceSystem, "kube-controller-manager")
}

// ControllerManagerRuns reports whether kube-controller-manager renews its Lease.
// Where it is late it is neither known to run nor to be down, which is a gap.
func ControllerManagerRuns(view *cluster.View) bool {
	lease := ControllerManagerLease(view)
	if !lease.Found() {
		return false
	}
	if _, expired := lease.Value.Expired(view); !expired && !lease.Value.IsRenewed() {
		view.AddGaps(stuck.Gap{
			Source: stuck.RefInNamespace("lease", "kube-controller-manager", metav1.NamespaceSystem),
			Error:  fmt.Sprintf("renewed %s ago, which is late: it is not known yet whether kube-controller-manager runs", duration.HumanDuration(lease.Value.Age())),
		})
	}
	return lease.Value.IsRenewed()
}

// RestartControllerManagerStep restarts kube-controller-manager, and more, such as ", which then removes the finalizer", says what for.
func RestartControllerManagerStep(more string) stuck.Step {
	return stuck.Step{
		Action: stuck.ActionChange,
		Description: "restart kube-controller-manager" + more + ". On each control plane node, move its manifest out of /etc/kubernetes/manifests, " +
			"and back when its pod has stopped; for a hosted control plane, ask its provider",
	}
}

// NeedsControllerManager reports whether kube-controller-manager has to finish
// the deletion of the object.
func NeedsControllerManager(o stuck.Object) bool {
	return o.Deleting() && (o.IsNamespace() || len(ControllerManagerFinalizers(o)) > 0)
}

// ControllerManagerCost is what a forced removal leaves behind of what kube-controller-manager would do.
func ControllerManagerCost(view *cluster.View, o stuck.Object) stuck.Cost {
	if o.IsNamespace() {
		return NamespaceCost(view.NamespaceContent(o.Name).NotDeleted)
	}
	return stuck.Cost{Leaves: stuck.LeakUnknown, Description: "cleanup by kube-controller-manager is skipped"}
}

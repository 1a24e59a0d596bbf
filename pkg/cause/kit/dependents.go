package kit

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CollectorFinalizers are the finalizers of the object that the garbage collector
// removes.
func CollectorFinalizers(o stuck.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool {
		return f != metav1.FinalizerDeleteDependents && f != metav1.FinalizerOrphanDependents
	})
}

// BlockingDependents are the dependents that a foreground deletion waits for.
func BlockingDependents(dependents cluster.List[stuck.Object], owner stuck.Object) cluster.List[stuck.Object] {
	dependents.Items = slices.DeleteFunc(dependents.Items, func(o stuck.Object) bool {
		return !slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return w.UID == owner.UID && w.BlockOwnerDeletion })
	})
	return dependents
}

// GarbageCollectorDelay is how long the garbage collector may take to notice that the
// last dependent is gone: it learns of new types every 30 s
// (kubernetes/cmd/kube-controller-manager/app/core.go).
const GarbageCollectorDelay = 35 * time.Second

// DependentsCost is what is left behind if the finalizer is removed that makes an owner
// wait for its dependents. Only where the garbage collector has had time to delete
// them and has not is it asked whether it is switched off; that this is not known
// takes nothing from the cause, so it is no gap of the cause.
func DependentsCost(view *cluster.View, owner stuck.Object, notDeleted []stuck.Object) stuck.Cost {
	if len(notDeleted) > 0 && owner.StuckDuration(view.Now()) >= GarbageCollectorDelay {
		if enabled, known := view.Scoped().GarbageCollectorEnabled(); known && !enabled {
			return stuck.Cost{Leaves: stuck.LeakObjects, Description: fmt.Sprintf("%s: the garbage collector is switched off (flags of kube-controller-manager)", CountByType(notDeleted))}
		}
	}
	return stuck.Cost{Leaves: stuck.LeakNothing, Description: "the garbage collector, if it runs, deletes the dependents after their owner"}
}

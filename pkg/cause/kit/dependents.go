package kit

import (
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

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

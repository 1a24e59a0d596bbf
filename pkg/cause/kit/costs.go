package kit

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ExternalCost is what the object stands for outside of the cluster.
func ExternalCost(o stuck.Object) stuck.Cost {
	return stuck.Cost{
		Leaves:      stuck.LeakExternal,
		Description: fmt.Sprintf("the external resources of %s keep running, unmanaged and billed", o.Name),
	}
}

// UndeletedCost is what a forced end of the namespace would leave behind of what could
// not be deleted.
func UndeletedCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leaves: stuck.LeakUnknown, Description: "objects that could not be deleted are left behind in etcd"}
	}
	return stuck.Cost{Leaves: NamespaceCost(left).Leaves, Description: "left behind in etcd, not deleted: " + FormatCounts(left)}
}

// NamespaceCost is what a forced end of the namespace would leave behind, by the worst
// of what is left in it.
func NamespaceCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leaves: stuck.LeakObjects, Description: "pods are left behind in etcd, out of reach"}
	}
	cost := stuck.Cost{Leaves: stuck.LeakObjects, Description: "everything except Pods; not yet deleted: " + FormatCounts(left)}
	for kind := range left {
		switch {
		case kind.Plural == "persistentvolumeclaims":
			cost.Leaves = stuck.LeakData
			return cost
		case kind.Plural == "services" || !stuck.IsBuiltInGroup(kind.Resource.Group):
			cost.Leaves = stuck.LeakUnknown
		}
	}
	return cost
}

// MachineCost is what it costs to forget a machine.
func MachineCost(node string) stuck.Cost {
	return stuck.Cost{Leaves: stuck.LeakExternal, Description: "the machine of node/" + node + " keeps running, unmanaged and billed"}
}

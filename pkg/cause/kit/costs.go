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
		Description: fmt.Sprintf("what %s stands for outside keeps running and costs money, unmanaged", o.Name),
	}
}

// UndeletedCost is what a forced end of the namespace would strand of what could
// not be deleted.
func UndeletedCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leaves: stuck.LeakUnknown, Description: "whatever could not be deleted"}
	}
	return stuck.Cost{Leaves: NamespaceCost(left).Leaves, Description: "what nobody could delete: " + FormatCounts(left)}
}

// NamespaceCost is what a forced end of the namespace would strand, by the worst
// of what is left in it.
func NamespaceCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leaves: stuck.LeakObjects, Description: "the pods: out of reach in etcd"}
	}
	cost := stuck.Cost{Leaves: stuck.LeakObjects, Description: "everything but the pods, which nobody has tried to delete: " + FormatCounts(left)}
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
	return stuck.Cost{Leaves: stuck.LeakExternal, Description: "the machine of node " + node + " keeps running and keeps costing money"}
}

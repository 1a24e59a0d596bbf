package kit

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ExternalCost is what the object stands for outside of the cluster.
func ExternalCost(o stuck.Object) stuck.Cost {
	return stuck.Cost{
		Leak: stuck.LeakExternal,
		What: fmt.Sprintf("what %s stands for outside keeps running and costs money, unmanaged", o.Name),
	}
}

// UndeletedCost is what a forced end of the namespace would strand of what could
// not be deleted.
func UndeletedCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leak: stuck.LeakUnknown, What: "whatever could not be deleted"}
	}
	return stuck.Cost{Leak: NamespaceCost(left).Leak, What: "what nobody could delete: " + FormatCounts(left)}
}

// NamespaceCost is what a forced end of the namespace would strand, by the worst
// of what is left in it.
func NamespaceCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leak: stuck.LeakObjects, What: "the pods: out of reach in etcd"}
	}
	cost := stuck.Cost{Leak: stuck.LeakObjects, What: "everything but the pods, which nobody has tried to delete: " + FormatCounts(left)}
	for kind := range left {
		switch {
		case kind.Plural == "persistentvolumeclaims":
			cost.Leak = stuck.LeakData
			return cost
		case kind.Plural == "services" || !stuck.IsBuiltInGroup(kind.Resource.Group):
			cost.Leak = stuck.LeakUnknown
		}
	}
	return cost
}

// MachineCost is what it costs to forget a machine.
func MachineCost(node string) stuck.Cost {
	return stuck.Cost{Leak: stuck.LeakExternal, What: "the machine of node " + node + " keeps running and keeps costing money"}
}

package capi

// labelCluster names the Cluster that an object of Cluster API belongs to
// (kubernetes-sigs/cluster-api api/core/v1beta2/common_types.go).
const labelCluster = "cluster.x-k8s.io/cluster-name"

// group is the API group of Cluster API's own types.
const group = "cluster.x-k8s.io"

// finalizers are those of the kinds whose controllers stop at a pause
// before they look at a deletion (kubernetes-sigs/cluster-api core/reconcilers,
// EnsurePausedCondition).
var finalizers = map[string]string{
	"Cluster":           "cluster.cluster.x-k8s.io",
	"Machine":           "machine.cluster.x-k8s.io",
	"MachineDeployment": "cluster.x-k8s.io/machinedeployment",
	"MachineSet":        "cluster.x-k8s.io/machineset",
	"MachinePool":       "machinepool.cluster.x-k8s.io",
}

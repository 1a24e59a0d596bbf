package rook

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CephCluster is what is read of one of Rook's
// (rook/rook pkg/apis/ceph.rook.io/v1/types.go).
type CephCluster struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		CleanupPolicy struct {
			AllowUninstallWithVolumes bool `json:"allowUninstallWithVolumes"`
		} `json:"cleanupPolicy"`
	} `json:"spec"`
}

// CephCluster reads one of Rook's.
func ReadCephCluster(v *cluster.View, o stuck.Object) cluster.Answer[CephCluster] {
	return cluster.ReadSimilar[CephCluster](v, o.Type, o.Namespace, o.Name)
}

// CephClusters reads those of Rook's in a namespace, of which there is rarely
// more than one.
func ReadCephClusters(v *cluster.View, t stuck.Type, namespace string) cluster.List[stuck.Object] {
	type named struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	found := cluster.ReadList[named](v, t, cluster.Selection{Namespace: namespace})
	out := cluster.List[stuck.Object]{Complete: found.Complete}
	for _, c := range found.Items {
		out.Items = append(out.Items, stuck.ObjectOf(t, c.ObjectMeta))
	}
	return out
}

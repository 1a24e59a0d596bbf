package cluster

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
func (v *View) CephCluster(o stuck.Object) Answer[CephCluster] {
	return ReadSimilar[CephCluster](v, o.Type, o.Namespace, o.Name)
}

// CephClusters reads those of Rook's in a namespace, of which there is rarely
// more than one.
func (v *View) CephClusters(t stuck.Type, namespace string) List[stuck.Object] {
	type named struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	found := ReadList[named](v, t, Selection{Namespace: namespace})
	out := List[stuck.Object]{Complete: found.Complete}
	for _, c := range found.Items {
		out.Items = append(out.Items, stuck.ObjectOf(t, c.ObjectMeta))
	}
	return out
}

package rook

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerDisasterProtection guards the keys and the addresses of a Ceph cluster
// (rook/rook pkg/operator/ceph/cluster/mon/mon.go).
const finalizerDisasterProtection = "ceph.rook.io/disaster-protection"

// DisasterProtection is a guard that is meant to hold.
var DisasterProtection = kit.Cause{
	ID:    "rook-disaster-protection",
	Title: "Rook protects the keys of a Ceph cluster from deletion",
	Doc: kit.Doc{
		Symptoms: "The Secret `rook-ceph-mon` or the ConfigMap `rook-ceph-mon-endpoints` has the finalizer `ceph.rook.io/disaster-protection`, and its namespace stays in Terminating.",
		Why:      "The data of a Ceph cluster cannot be reached without the key and the addresses of its monitors. Rook protects the Secret and the ConfigMap with a finalizer, and removes the finalizer only when the CephCluster is deleted. The CephCluster was not deleted, or its deletion is not finished.",
		Fix:      "First save a copy of the Secret and the ConfigMap. Then delete the CephCluster and let the Rook operator finish: the operator removes the finalizer. If the operator was uninstalled permanently and the data no longer exists, remove the finalizer by hand.",
		IfForced: "The key of the cluster is lost, and its data is nearly unrecoverable.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.HasFinalizer(finalizerDisasterProtection) && (o.Is("", "Secret") || o.Is("", "ConfigMap"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		clusters := cephClusters(view, o.Namespace)
		if len(clusters.Items) == 0 && !clusters.Complete {
			return nil
		}
		return []stuck.Finding{protectionFinding(o, clusters.Items)}
	},
}

// cephClusters are those of a namespace. Without their definition there is
// none, but only the definition itself can say that it is gone.
func cephClusters(view *cluster.View, namespace string) cluster.List[stuck.Object] {
	t, served := view.TypeForKind(schema.GroupKind{Group: group, Kind: "CephCluster"})
	if !served {
		return cluster.List[stuck.Object]{Complete: view.CRD("cephclusters." + group).Absent()}
	}
	return listCephClusters(view, t, namespace)
}

func protectionFinding(o stuck.Object, clusters []stuck.Object) stuck.Finding {
	deleting, left := kit.SplitByDeleting(clusters)
	f := stuck.Finding{
		Message:   "Rook protects the object, but no CephCluster is left to release it",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerDisasterProtection},
		WaitsFor:  deleting,
		Evidence:  []string{"the Rook operator removes the finalizer only after the CephCluster of the namespace is deleted"},
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "save a copy before anything else",
			Command:     stuck.Kubectlf(o.Namespace, "get %s -o yaml > %s.yaml", o.Ref(), o.Name),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakData, Description: "the key or the addresses of the Ceph cluster are lost, and its data is nearly unrecoverable"},
	}
	if len(clusters) > 0 {
		f.BlockedBy = kit.CulpritAmong(clusters, o)
		f.Message = fmt.Sprintf("Rook protects the object until %s is deleted", kit.CountByType(clusters))
		f.Evidence = append(f.Evidence, kit.NotDeletedLines(left, "needs "+o.Ref())...)
		for _, c := range left {
			f.Verdict = stuck.Blocked
			f.Steps = append(f.Steps, stuck.Step{
				Action:      stuck.ActionDelete,
				Description: "delete the Ceph cluster, only if its data may be lost",
				Command:     stuck.Kubectlf(c.Namespace, "delete %s", c.Ref()),
			})
		}
		return f
	}
	f.Verdict = stuck.Blocked
	f.Evidence = append(f.Evidence, fmt.Sprintf("no CephCluster exists in namespace %s", o.Namespace))
	f.Steps = append(f.Steps, kit.ForceStep(o, "remove the finalizer, only if the Ceph cluster and its data are not needed", []string{finalizerDisasterProtection}, "--accept-data-loss"))
	return f
}

// listCephClusters reads those of Rook's in a namespace, of which there is rarely
// more than one.
func listCephClusters(v *cluster.View, t stuck.Type, namespace string) cluster.List[stuck.Object] {
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

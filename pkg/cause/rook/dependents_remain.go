package rook

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsRemain holds a CephCluster while its namespace has pools and the
// like.
var DependentsRemain = kit.Cause{
	ID:    "rook-dependents",
	Title: "Pools, file systems or object stores of the Ceph cluster still exist",
	Doc: kit.Doc{
		Symptoms: "A CephCluster with the finalizer `cephcluster.ceph.rook.io` is being deleted, and its namespace contains CephBlockPools, CephFilesystems, CephObjectStores or similar objects. The condition `DeletionIsBlocked` of the CephCluster says `will not be deleted until all dependents are removed`.",
		Why:      "Rook keeps the Ceph cluster running until every object that stores data in the Ceph cluster is deleted, to prevent accidental data loss.",
		Fix:      "Make sure that nobody needs the data. Delete the claims and buckets that use the pools, then the pools, file systems and object stores. Rook then finishes the deletion of the CephCluster.",
		IfForced: "The Ceph daemons are deleted while the pools still contain data. The data is nearly unrecoverable. Before reuse, you must wipe the disks by hand.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is(group, "CephCluster") && o.Deleting() && o.HasFinalizer(finalizerCephCluster)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var kinds []stuck.Type
		for _, kind := range cephDependents {
			if t, ok := view.TypeForKind(schema.GroupKind{Group: group, Kind: kind}); ok {
				kinds = append(kinds, t)
			}
		}
		dependents := view.Objects(o.Namespace, kinds...).Items
		if len(dependents) == 0 {
			return nil
		}
		return []stuck.Finding{cephDependentsFinding(o, kinds, dependents)}
	},
}

// cephDependents are the kinds that a CephCluster waits for in its namespace
// (rook/rook pkg/operator/ceph/cluster/dependents.go).
var cephDependents = []string{
	"CephBlockPool", "CephRBDMirror", "CephFilesystem", "CephFilesystemMirror", "CephObjectStore", "CephObjectStoreUser",
	"CephObjectZone", "CephObjectZoneGroup", "CephObjectRealm", "CephNFS", "CephClient", "CephBucketTopic",
	"CephBucketNotification", "CephFilesystemSubVolumeGroup", "CephBlockPoolRadosNamespace",
}

func cephDependentsFinding(o stuck.Object, kinds []stuck.Type, dependents []stuck.Object) stuck.Finding {
	deleting, left := kit.SplitByDeleting(dependents)
	f := stuck.Finding{
		Message:   kit.NotDeletedText(dependents),
		BlockedBy: kit.CulpritAmong(dependents, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerCephCluster},
		WaitsFor:  deleting,
		OnForce:   stuck.Cost{Leaves: stuck.LeakData, Description: "the data of pools, file systems and object stores is nearly unrecoverable, and the disks have to be wiped by hand"},
	}
	if len(left) == 0 {
		return f
	}
	f.Verdict = stuck.Blocked
	f.Evidence = append(kit.NotDeletedLines(left, "stores data in the Ceph cluster"),
		"Rook keeps a Ceph cluster until every pool, file system and object store is deleted")
	for _, t := range kinds {
		var names []string
		for _, d := range left {
			if d.Type.Kind == t.Kind {
				names = append(names, d.Name)
			}
		}
		if len(names) > 0 {
			f.Steps = append(f.Steps, stuck.Step{
				Action:      stuck.ActionDelete,
				Description: fmt.Sprintf("delete every %s, only if nobody needs the data in it", t.Kind),
				Command:     stuck.Kubectlf(o.Namespace, "delete %s %s", t.Singular(), names),
			})
		}
	}
	return f
}

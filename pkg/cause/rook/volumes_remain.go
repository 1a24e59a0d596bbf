package rook

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// csiDrivers are what the names of the CSI drivers of Rook end with
// (rook/rook pkg/operator/ceph/csi/config.go).
var csiDrivers = []string{"rbd.csi.ceph.com", "cephfs.csi.ceph.com"}

// VolumesRemain holds a CephCluster while PersistentVolumes are stored in
// it.
var VolumesRemain = kit.Cause{
	ID:    "rook-volumes-remain",
	Title: "PersistentVolumes are still stored in the Ceph cluster",
	Doc: kit.Doc{
		Symptoms: "A CephCluster with the finalizer `cephcluster.ceph.rook.io` has no dependents, but still exists. An event `ReconcileFailed` on the CephCluster says `waiting for csi volume attachments in cluster ... to be cleaned up`, and the `clusterID` of PersistentVolumes is the namespace of the CephCluster.",
		Why:      "Rook keeps the Ceph cluster running while any PersistentVolume of Rook's drivers names the cluster, attached or not (checkPVPresentInCluster in rook/rook pkg/operator/ceph/cluster/controller.go). Often these are Released volumes with reclaim policy Retain.",
		Fix:      "Make sure that nobody needs the data. Delete the claims, and the volumes whose claims were deleted. Rook then retries.",
		IfForced: "The Ceph daemons are deleted while the volumes still exist. The data of the volumes is nearly unrecoverable, and pods that use the volumes hang.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is(group, "CephCluster") && o.Deleting() && o.HasFinalizer(finalizerCephCluster)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		cephCluster, ok := cluster.ReadObject[CephCluster](view, o)
		if !ok || cephCluster.Spec.CleanupPolicy.AllowUninstallWithVolumes {
			return nil
		}
		volumes := slices.DeleteFunc(slices.Clone(view.PersistentVolumes().Items), func(v corev1.PersistentVolume) bool { return !isStoredIn(v, o.Namespace) })
		if len(volumes) == 0 {
			return nil
		}
		slices.SortFunc(volumes, func(a, b corev1.PersistentVolume) int { return strings.Compare(a.Name, b.Name) })
		return []stuck.Finding{cephVolumesFinding(view, o, volumes)}
	},
}

// isStoredIn reports whether Rook counts a volume as one of the cluster in a
// namespace.
func isStoredIn(v corev1.PersistentVolume, namespace string) bool {
	csi := v.Spec.CSI
	return csi != nil && csi.VolumeAttributes["clusterID"] == namespace &&
		slices.ContainsFunc(csiDrivers, func(suffix string) bool { return strings.HasSuffix(csi.Driver, suffix) })
}

func cephVolumesFinding(view *cluster.View, o stuck.Object, volumes []corev1.PersistentVolume) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("%d persistentvolumes are stored in the Ceph cluster", len(volumes)),
		BlockedBy: o.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{finalizerCephCluster},
		Evidence:  kit.WarningEvents(view, o, o.DeletionTime, "ReconcileFailed"),
		OnForce:   stuck.Cost{Leaves: stuck.LeakData, Description: "the data of the volumes is nearly unrecoverable, and pods that use them hang"},
	}
	if len(volumes) == 1 {
		f.Message = "persistentvolume/" + volumes[0].Name + " is stored in the Ceph cluster"
		f.BlockedBy = stuck.Culprit{Kind: "PersistentVolume", Name: volumes[0].Name}
	}
	for i, v := range volumes {
		if i == stuck.MaxUngrouped {
			f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", len(volumes)-i))
			break
		}
		f.Evidence = append(f.Evidence, fmt.Sprintf("persistentvolume/%s is %s%s", v.Name, v.Status.Phase, claimClause(v)))
		f.Steps = append(f.Steps, deleteVolumeStep(v))
	}
	return f
}

// claimClause says whose a volume is.
func claimClause(v corev1.PersistentVolume) string {
	if v.Spec.ClaimRef == nil {
		return ""
	}
	return ", for " + stuck.RefInNamespace("persistentvolumeclaim", v.Spec.ClaimRef.Name, v.Spec.ClaimRef.Namespace)
}

// deleteVolumeStep is how a volume goes that nobody needs: with its claim, or by itself
// when that is gone.
func deleteVolumeStep(v corev1.PersistentVolume) stuck.Step {
	if claim := v.Spec.ClaimRef; v.Status.Phase == corev1.VolumeBound && claim != nil {
		return stuck.Step{
			Action:      stuck.ActionDelete,
			Description: "delete the claim, only if nobody needs its data: the data is deleted too, unless the reclaim policy is Retain",
			Command:     stuck.Kubectlf(claim.Namespace, "delete persistentvolumeclaim %s", claim.Name),
		}
	}
	return stuck.Step{Action: stuck.ActionDelete, Description: "delete the volume, only if nobody needs its data: its image is left behind in Ceph until the Ceph cluster is deleted", Command: stuck.Shellf("kubectl delete persistentvolume %s", v.Name)}
}

package cause

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// VolumeBound blocks a PersistentVolume while a claim is bound to it.
var VolumeBound = kit.Cause{
	ID:    "volume-bound",
	Title: "The volume is bound to a claim",
	Doc: kit.Doc{
		Symptoms: "The PersistentVolume has the finalizer `kubernetes.io/pv-protection` and its phase is Bound.",
		Why:      "A volume is protected while a claim is bound to it. Often the volume was deleted by accident: Pods still work, and the deletion takes effect when the claim is deleted.",
		Fix:      "A deletion cannot be undone. To keep the data, first set the reclaim policy of the volume to Retain. To finish the deletion, delete the Pods that use the claim, then the claim.",
		IfForced: "The claim becomes Lost, and the Pods that use the claim cannot start again. The disk is left behind, unmanaged.",
	},
	Applies: kit.DeletingWith(kit.FinalizerVolume),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		volume, ok := cluster.ReadObject[corev1.PersistentVolume](view, o)
		if !ok || volume.Status.Phase != corev1.VolumeBound || volume.Spec.ClaimRef == nil {
			return nil
		}
		ref := volume.Spec.ClaimRef
		claim := view.PersistentVolumeClaim(ref.Namespace, ref.Name)
		if !claim.Found() || claim.Value.UID != ref.UID {
			return nil
		}
		return []stuck.Finding{boundFinding(*volume, *claim.Value)}
	},
}

func boundFinding(volume corev1.PersistentVolume, claim corev1.PersistentVolumeClaim) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s is bound to the volume", stuck.RefInNamespace("persistentvolumeclaim", claim.Name, claim.Namespace)),
		BlockedBy: stuck.Culprit{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name},
		Certainty: stuck.Confirmed,
		Explains:  []string{kit.FinalizerVolume},
		OnForce:   stuck.Cost{Leaves: stuck.LeakData, Description: "the claim becomes Lost, and the data of the volume is left behind, unmanaged"},
	}
	if claim.DeletionTimestamp != nil {
		f.WaitsFor = []stuck.Object{stuck.ObjectOf(cluster.PersistentVolumeClaimType, claim.ObjectMeta)}
		return f
	}
	f.Verdict = stuck.Blocked
	f.Evidence = []string{
		"the claim is not being deleted",
		fmt.Sprintf("the reclaim policy of the volume is %s", volume.Spec.PersistentVolumeReclaimPolicy),
		"a deletion cannot be undone: the volume is deleted when the claim is deleted",
	}
	if volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		f.Steps = append(f.Steps, kit.KeepDataStep(volume.Name))
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "delete the claim when no pod uses it, to finish the deletion",
		Command:     stuck.Kubectlf(claim.Namespace, "delete pvc %s", claim.Name),
	})
	return f
}

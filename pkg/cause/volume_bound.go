package cause

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// VolumeBound holds a PersistentVolume while a claim is bound to it.
var VolumeBound = kit.Cause{
	ID:    "volume-bound",
	Title: "The volume is still bound to a claim",
	Doc: kit.Doc{
		Symptoms: "The PersistentVolume has the finalizer `kubernetes.io/pv-protection` and its phase is Bound.",
		Why:      "A volume is protected while a claim is bound to it. Often it was deleted by accident: the cluster works on, and the deletion takes effect when the claim goes.",
		Fix:      "A deletion cannot be taken back. To keep the data, set the reclaim policy to Retain before anything else. To finish the deletion, delete the pods, then the claim.",
		IfForced: "The claim turns Lost and its pods cannot start again; the disk is left without an owner.",
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
		Message:   fmt.Sprintf("bound to persistentvolumeclaim/%s -n %s", claim.Name, claim.Namespace),
		BlockedBy: stuck.Culprit{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name},
		Certainty: stuck.Confirmed,
		Explains:  []string{kit.FinalizerVolume},
		OnForce:   stuck.Cost{Leaves: stuck.LeakData, Description: "the claim turns Lost, and the data behind the volume is left without an owner"},
	}
	if claim.DeletionTimestamp != nil {
		f.WaitsFor = []stuck.Object{stuck.ObjectOf(cluster.PersistentVolumeClaimType, claim.ObjectMeta)}
		return f
	}
	f.Verdict = stuck.Blocked
	f.Evidence = []string{
		fmt.Sprintf("the claim is not being deleted, and the volume's reclaim policy is %s", volume.Spec.PersistentVolumeReclaimPolicy),
		"a deletion cannot be taken back: the volume goes when the claim does",
	}
	if volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: "to keep the data, set the reclaim policy first",
			Command:     stuck.Shellf(`kubectl patch pv %s -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`, volume.Name),
		})
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "to finish the deletion, delete the claim, once nothing uses it",
		Command:     stuck.Kubectlf(claim.Namespace, "delete pvc %s", claim.Name),
	})
	return f
}

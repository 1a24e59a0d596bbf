package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ClaimInUse blocks a PersistentVolumeClaim while a Pod uses it.
var ClaimInUse = kit.Cause{
	ID:    "claim-in-use",
	Title: "A pod uses the claim",
	Doc: kit.Doc{
		Symptoms: "The PersistentVolumeClaim has the finalizer `kubernetes.io/pvc-protection`; `kubectl describe pvc` lists pods under Used By.",
		Why:      "The claim is protected while a scheduled Pod names it as a volume, even a Pod that has completed.",
		Fix:      "Delete those Pods, or scale down their controller. If the claim was deleted by accident, no data is lost while a Pod uses the claim, but the deletion cannot be undone. First copy the data, or set the reclaim policy of the volume to Retain.",
		IfForced: "The claim is deleted while a Pod uses it. With reclaim policy Delete, the data is deleted too.",
	},
	Applies: kit.DeletingWith(kit.FinalizerClaim),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !o.Is("", "PersistentVolumeClaim") {
			return nil
		}
		var users []corev1.Pod
		for _, pod := range view.Pods(o.Namespace).Items {
			if usesClaim(pod, o.Name) {
				users = append(users, pod)
			}
		}
		if len(users) == 0 {
			return nil
		}
		return []stuck.Finding{claimInUseFinding(view, o, users)}
	},
}

// usesClaim reports whether a Pod keeps a claim from being deleted. One that was never
// scheduled does not (kubernetes/pkg/controller/volume/pvcprotection).
func usesClaim(pod corev1.Pod, claim string) bool {
	return pod.Spec.NodeName != "" && slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim ||
			v.Ephemeral != nil && pod.Name+"-"+v.Name == claim
	})
}

func claimInUseFinding(view *cluster.View, claim stuck.Object, users []corev1.Pod) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Confirmed,
		Explains:  []string{kit.FinalizerClaim},
		OnForce:   stuck.Cost{Leaves: stuck.LeakData, Description: "the claim is deleted while a pod uses it; with reclaim policy Delete, so is the data"},
	}
	var objects []stuck.Object
	for _, pod := range users {
		o := stuck.ObjectOf(cluster.PodType, pod.ObjectMeta)
		objects = append(objects, o)
		if o.Deleting() {
			f.WaitsFor = append(f.WaitsFor, o)
			continue
		}
		f.Verdict = stuck.Blocked
		f.Evidence = append(f.Evidence, fmt.Sprintf("pod/%s (%s on %s) mounts the claim and is not being deleted%s", pod.Name, pod.Status.Phase, pod.Spec.NodeName, kit.RecreatedClause(pod, o)))
		if step := kit.StopPodStep(view, pod, o); len(f.Steps) < 3 && !slices.Contains(f.Steps, step) {
			f.Steps = append(f.Steps, step)
		}
	}
	if f.Verdict == stuck.Blocked {
		addReclaimPolicy(view, &f, claim)
	}
	f.BlockedBy = objects[0].Culprit()
	f.Message = kit.CountByType(objects) + " use the claim"
	if len(objects) == 1 {
		f.Message = objects[0].Ref() + " uses the claim"
	}
	return f
}

// addReclaimPolicy says what becomes of the data when the claim is deleted, and puts first how to keep it.
func addReclaimPolicy(view *cluster.View, f *stuck.Finding, o stuck.Object) {
	claim := view.PersistentVolumeClaim(o.Namespace, o.Name)
	if claim.Absent() || claim.Found() && claim.Value.Spec.VolumeName == "" {
		return // no volume holds data yet
	}
	volume := cluster.Answer[corev1.PersistentVolume]{}
	if claim.Found() {
		volume = cluster.Read[corev1.PersistentVolume](view, cluster.PersistentVolumeType, "", claim.Value.Spec.VolumeName)
	}
	switch {
	case !volume.Found():
		f.Evidence = append(f.Evidence, "whether the data is deleted with the claim could not be checked: the claim or its volume could not be read")
	case volume.Value.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain:
		f.Evidence = append(f.Evidence, fmt.Sprintf("the reclaim policy of persistentvolume/%s is Retain: the data is kept when the claim is deleted", volume.Value.Name))
	default:
		f.Evidence = append(f.Evidence, fmt.Sprintf("the reclaim policy of persistentvolume/%s is %s: the data is deleted with the claim", volume.Value.Name, volume.Value.Spec.PersistentVolumeReclaimPolicy))
		f.Steps = slices.Insert(f.Steps, 0, kit.KeepDataStep(volume.Value.Name))
	}
}

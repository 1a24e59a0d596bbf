package kit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodOnLostNodeFinding is a Pod whose node cannot finish its deletion, in what all causes
// of that share.
func PodOnLostNodeFinding(pod corev1.Pod) stuck.Finding {
	f := stuck.Finding{
		BlockedBy: stuck.Culprit{Kind: "Node", Name: pod.Spec.NodeName},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		OnForce:   stuck.Cost{Leaves: stuck.LeakUnknown, Description: "the containers may still run on node/" + pod.Spec.NodeName},
	}
	if slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil }) {
		f.OnForce.Leaves = stuck.LeakData
		f.OnForce.Description += " and write to the same volume as a replacement pod"
	}
	return f
}

// PodGCCondition is what the pod garbage collector has written into a Pod that it is
// about to delete, nil where it has not
// (kubernetes/pkg/controller/podgc/gc_controller.go).
func PodGCCondition(pod corev1.Pod) *corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == "DeletionByPodGC"
	})
	if i < 0 {
		return nil
	}
	return &pod.Status.Conditions[i]
}

package preflight

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// claimInUse is a claim whose condition Unused is False, where the Pods of its namespace cannot be read. From
// Kubernetes 1.37 on the controller that protects claims writes it on bound claims that are not being deleted (feature
// gate PersistentVolumeClaimUnusedSinceTime, kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go).
// False means that a Pod which has not ended names the claim; one that is not scheduled does not hold it. True does not mean
// that nothing holds it: a Pod that has ended does.
func (f *foresight) claimInUse(o stuck.Object) []stuck.Finding {
	if !o.Is("", "PersistentVolumeClaim") || f.present.Pods(o.Namespace).Complete || f.deletesPodsIn(o.Namespace) {
		return nil
	}
	if o.DeletionTime.Before(f.after.deletedAt) {
		return nil // it is being deleted already, and its condition is not kept up to date
	}
	conditions := f.present.Conditions(o).Items
	i := slices.IndexFunc(conditions, func(c cluster.Condition) bool {
		return c.Type == string(corev1.PersistentVolumeClaimUnused) && c.Status == string(corev1.ConditionFalse)
	})
	if i < 0 {
		return nil
	}
	return []stuck.Finding{{
		Cause: cause.ClaimInUse.ID, BlockedBy: o.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked, Explains: []string{"kubernetes.io/pvc-protection"},
		Message: "a pod uses the claim",
		Evidence: []string{
			fmt.Sprintf("condition Unused has been False for %s: %s", duration.HumanDuration(f.present.Now().Sub(conditions[i].LastTransitionTime.Time)), conditions[i].Message),
			"the condition counts pods that are not scheduled, which do not hold the claim",
		},
		Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "see which pods use the claim, and delete these first", Command: stuck.Kubectlf(o.Namespace, "describe pvc %s", o.Name)}},
	}}
}

// deletesPodsIn reports whether Pods of a namespace are deleted, or what makes Pods: then those that use
// a claim may be among them.
func (f *foresight) deletesPodsIn(namespace string) bool {
	return f.deleted.namespaces[namespace] || slices.ContainsFunc(f.deleted.all, func(o stuck.Object) bool {
		return o.Namespace == namespace && !o.Is("", "PersistentVolumeClaim") && (runsPods(o) || !stuck.IsBuiltInGroup(o.Type.Group))
	})
}

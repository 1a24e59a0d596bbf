package cause

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsRemain blocks an owner that was deleted in the foreground until its
// dependents are deleted.
var DependentsRemain = kit.Cause{
	ID:    "dependents-remain",
	Title: "An owner waits for its dependents (foreground deletion)",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`, and objects that have an owner reference to it with `blockOwnerDeletion: true` exist.",
		Why:      "The object was deleted with propagation policy Foreground (by `kubectl delete --cascade=foreground` or by a controller). The garbage collector deletes the dependents first and waits for each dependent.",
		Fix:      "Unblock the dependent at the end of the chain; the owner is then deleted.",
		IfForced: "The owner is deleted immediately. Its dependents are deleted later, in the background: the order of deletion is lost.",
	},
	Applies: kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		blocking := kit.BlockingDependents(view.Dependents(o), o).Items
		if len(blocking) == 0 {
			return nil
		}
		deleting, left := kit.SplitByDeleting(blocking)
		f := stuck.Finding{
			Message:   "dependents are not deleted yet: " + kit.CountByType(blocking),
			BlockedBy: kit.CulpritAmong(blocking, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			WaitsFor:  deleting,
			OnForce:   kit.DependentsCost(view, o, left),
		}
		if len(left) > 0 {
			f.Evidence = append(f.Evidence, "not yet deleted by the garbage collector: "+kit.CountByType(left))
			f.Steps = deniedDependentSteps(view, o, left[0])
		}
		if len(deleting) == 0 {
			f.Verdict = stuck.Unknown
		}
		return []stuck.Finding{f}
	},
}

// deniedDependentSteps is how to see whether a policy or a webhook denies the deletion of a
// dependent that the garbage collector has had time to delete. One that was created since is another cause.
func deniedDependentSteps(view *cluster.View, owner, dependent stuck.Object) []stuck.Step {
	isRecreated := dependent.CreationTime.After(owner.DeletionTime)
	if isRecreated || owner.StuckDuration(view.Now()) < kit.GarbageCollectorDelay || !view.ServesDryRun(dependent.Type) {
		return nil
	}
	return []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "see whether a policy or a webhook denies the deletion of " + dependent.Ref() + "; the dry run deletes nothing",
		Command:     stuck.Kubectlf(dependent.Namespace, "delete %s %s --dry-run=server", dependent.Type, dependent.Name),
	}}
}

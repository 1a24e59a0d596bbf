package cause

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsRemain holds an owner that was deleted in the foreground until its
// dependents are gone.
var DependentsRemain = kit.Cause{
	ID:    "dependents-remain",
	Title: "An owner waits for its dependents (foreground deletion)",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`, and objects that name it as owner with `blockOwnerDeletion: true` still exist.",
		Why:      "It was deleted with propagation policy Foreground (`kubectl delete --cascade=foreground`, or a controller that asks for it). The garbage collector deletes the dependents first and waits for each.",
		Fix:      "Free the dependent at the end of the chain; the owner follows.",
		IfForced: "The owner goes at once; its dependents are deleted in the background later, and the order is lost.",
	},
	Applies: kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		blocking := kit.BlockingDependents(view.Dependents(o), o).Items
		if len(blocking) == 0 {
			return nil
		}
		deleting, left := kit.SplitByDeleting(blocking)
		f := stuck.Finding{
			Message:   "waits for its dependents: " + kit.CountByType(blocking),
			BlockedBy: kit.CulpritAmong(blocking, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			WaitsFor:  deleting,
			OnForce:   kit.DependentsCost(view, o, left),
		}
		if len(left) > 0 {
			f.Evidence = append(f.Evidence, "the garbage collector has not deleted these yet: "+kit.CountByType(left))
		}
		if len(deleting) == 0 {
			f.Verdict = stuck.Unknown
		}
		return []stuck.Finding{f}
	},
}

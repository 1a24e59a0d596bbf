package cause

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsRecreated is a controller that recreates what the garbage
// collector deletes for an owner that is being deleted.
var DependentsRecreated = kit.Cause{
	ID:    "controller-fights-deletion",
	Title: "A controller recreates dependents while their owner is being deleted",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`, and a dependent with `blockOwnerDeletion: true` was created after the deletion began.",
		Why:      "A controller that ignores the deletionTimestamp of the owner recreates a dependent that was deleted. The owner then waits for the new dependent too. The StatefulSet controller of Kubernetes 1.37 recreates a ControllerRevision in each sync.",
		Fix:      "If nothing else blocks the owner, stop its controller until the owner is deleted, and upgrade the controller. Otherwise fix the other cause first: the garbage collector deletes the new dependents after the last old dependent.",
		IfForced: "The owner is deleted. The garbage collector then deletes the recreated dependents.",
	},
	AfterDeletion: true,
	Applies:       kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var recreated []stuck.Object
		for _, d := range kit.BlockingDependents(view.Dependents(o), o).Items {
			if d.CreationTime.After(o.DeletionTime) {
				recreated = append(recreated, d)
			}
		}
		if len(recreated) == 0 {
			return nil
		}
		_, notDeleted := kit.SplitByDeleting(recreated)
		// No verdict: that the owner waits for these as for all its dependents
		// is said elsewhere, and one that came late does not prove that it goes on.
		f := stuck.Finding{
			Message:   "a controller recreates dependents: " + kit.CountByType(recreated),
			BlockedBy: kit.CulpritAmong(recreated, o),
			Certainty: stuck.Likely,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			Steps: []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "find the field manager that creates the dependents, and stop that controller until the owner is deleted",
				Command:     stuck.ReadCommand(recreated[0].Type, recreated[0].Namespace, recreated[0].Ref()),
			}},
			OnForce: kit.DependentsCost(view, o, notDeleted),
		}
		for _, d := range recreated[:min(len(recreated), stuck.MaxUngrouped)] {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s was created %s after the deletion began", d.Ref(), duration.HumanDuration(d.CreationTime.Sub(o.DeletionTime))))
		}
		return []stuck.Finding{f}
	},
}

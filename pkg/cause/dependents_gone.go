package cause

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsGone is an owner that waits for dependents that do not exist: the
// garbage collector does not process it.
var DependentsGone = kit.Cause{
	ID:    "dependents-gone",
	Title: "The garbage collector does not process an owner that has no dependents",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`, but no object has an owner reference to it with `blockOwnerDeletion: true`, and kube-controller-manager is running.",
		Why:      "The garbage collector acts on changes. The garbage collector is disabled, cannot sync a type that it watches, or missed the deletion of the last dependent.",
		Fix:      "Restart kube-controller-manager: when it starts, the garbage collector processes every object again.",
		IfForced: "Nothing is left behind: the object has no dependents.",
	},
	Applies: kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		lease := kit.ControllerManagerLease(view)
		if o.StuckDuration(view.Now()) < kit.GarbageCollectorDelay || !kit.ControllerManagerRuns(view) {
			return nil
		}
		if !kit.BlockingDependents(view.Dependents(o), o).IsKnownEmpty() || o.Namespace != "" && !kit.BlockingDependents(view.CrossNamespaceDependents(o), o).IsKnownEmpty() {
			return nil
		}
		return []stuck.Finding{{
			Message:   "the garbage collector does not process the owner, which has no dependents",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: lease.Value.Namespace, Name: lease.Value.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			Evidence: []string{
				fmt.Sprintf("no object has an owner reference to uid %s with blockOwnerDeletion: true", o.UID),
				"kube-controller-manager is running, so its garbage collector is disabled, cannot sync, or missed an event",
			},
			Steps: []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "read what kube-controller-manager logs about the garbage collector",
				Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep garbage",
			}, kit.RestartControllerManagerStep(", whose garbage collector then processes every object again")},
			OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "the object has no dependents"},
		}}
	},
}

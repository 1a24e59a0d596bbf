package cause

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsGone is an owner that waits for dependents it no longer has: the
// garbage collector has lost sight of it.
var DependentsGone = kit.Cause{
	ID:    "dependents-gone",
	Title: "The garbage collector has lost an object that waits for nothing any more",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`, yet nothing in the cluster names it as owner with `blockOwnerDeletion: true`, and kube-controller-manager is alive.",
		Why:      "The garbage collector acts on what it sees change. It is switched off, it cannot sync a type it watches, or it missed the moment at which the last dependent went.",
		Fix:      "Restart kube-controller-manager: at its start the garbage collector looks at every object anew.",
		IfForced: "Nothing: no dependents are left whose order could matter.",
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
			Message:   "waits for dependents, but has none left",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: lease.Value.Namespace, Name: lease.Value.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			Evidence: []string{
				fmt.Sprintf("no object of any type names it, by uid %s, as an owner it blocks", o.UID),
				"kube-controller-manager is alive, so its garbage collector is off, cannot sync, or has lost this object",
			},
			Steps: []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "restart kube-controller-manager (its garbage collector then looks at every object anew); first see what it says",
				Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep garbage",
			}},
			OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "it has no dependents left to wait for"},
		}}
	},
}

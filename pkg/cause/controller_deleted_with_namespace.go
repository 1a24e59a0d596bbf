package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerDeletedWithNamespace is a controller that was deleted together with the
// namespace whose objects it should have cleaned up.
var ControllerDeletedWithNamespace = kit.Cause{
	ID:    "controller-deleted-with-namespace",
	Title: "The controller of a finalizer was deleted together with the namespace that it cleans up",
	Doc: kit.Doc{
		Symptoms: "The namespace is Terminating, objects in it have a finalizer, and the controller of that finalizer, or its ServiceAccount, was in the same namespace.",
		Why:      "Deleting a namespace deletes a controller in the namespace before, or together with, the objects that the controller manages. The API server rejects creation in a namespace that is being deleted, so the controller cannot be recreated there.",
		Fix:      "Install the controller in another namespace, with permissions on this namespace, and let the controller finish. Next time, delete the objects of the controller first and the namespace last.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete || w.NonWorkloadRemover() != "" || controller.HasWrittenSinceDeletion(view, w) || w.Object.Namespace == "" {
			return nil
		}
		lost, watches, doubt := allLostWithNamespace(view, w)
		if !lost {
			return nil
		}
		f := stuck.Finding{
			Message:           fmt.Sprintf("the controller of %s was deleted with namespace %s", w.Finalizer, w.Object.Namespace),
			BlockedBy:         stuck.Culprit{Kind: "Namespace", Name: w.Object.Namespace},
			Certainty:         stuck.Likely,
			Verdict:           stuck.ControllerGone,
			HoldsWithoutProbe: true,
			Evidence:          kit.SearchEvidence(w),
			Steps:             []stuck.Step{{Action: stuck.ActionChange, Description: "install the controller in another namespace, with permissions on this one (nothing can be created in this one)"}},
			OnForce:           kit.CostWithoutController(w),
			Doubt:             doubt,
		}
		if doubt != "" {
			f.Evidence = append(f.Evidence, watches...)
		}
		for _, c := range w.Candidates {
			f.Evidence = append(f.Evidence, controller.CheckHealth(view, c.Workload).Evidence...)
		}
		return []stuck.Finding{f}
	},
}

// allLostWithNamespace reports whether all that could be the controller ran in the
// namespace that is being deleted, and no longer runs; what the watches on the type say of it, and what doubt
// remains.
func allLostWithNamespace(view *cluster.View, w controller.Controller) (lost bool, evidence []string, doubt string) {
	if len(w.Candidates) == 0 {
		if !controller.RanInDeletedNamespace(view, w) {
			return false, nil, ""
		}
		return controller.IsAbandoned(view, w)
	}
	for _, c := range w.Candidates {
		// A Pod that exists, however unhealthy, may yet finish; none can be recreated.
		if !kit.InDeletingNamespace(view, w, c) || controller.CheckHealth(view, c.Workload).Alive != stuck.NotRunning || !view.WorkloadPods(c.Workload).IsKnownEmpty() {
			return false, nil, ""
		}
	}
	switch watched, evidence := controller.Watchers(view, w.Object.Type); watched {
	case controller.WatchersNone:
		return true, nil, ""
	case controller.WatchersSome:
		return false, nil, ""
	default:
		return true, evidence, controller.WatchDoubt(w)
	}
}

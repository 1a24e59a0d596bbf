package cause

import (
	"cmp"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerGone is a finalizer whose controller is nowhere to be found, after every
// clue was looked at.
var ControllerGone = kit.Cause{
	ID:    "controller-gone",
	Title: "The controller of a finalizer is gone",
	Doc: kit.Doc{
		Symptoms: "An object is Terminating with a finalizer of somebody's own. No workload may act on the type, none is called like the one that set the finalizer, what installed the type is uninstalled, and nobody watches the type but the garbage collector.",
		Why:      "The controller was uninstalled before the objects it had put its finalizer on.",
		Fix:      "Install the controller again, in the same version, and let it finish. If that cannot be, the finalizer has to be removed by force.",
		IfForced: "Whatever the controller would have cleaned up stays behind, inside the cluster or outside of it.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if len(w.Candidates) > 0 || w.NonWorkloadRemover() != "" || !w.Complete || controller.RanInDeletedNamespace(view, w) {
			return nil
		}
		if !namespaceExists(view, w.Object.Namespace) {
			return nil
		}
		abandoned, evidence, doubt := controller.IsAbandoned(view, w)
		if !abandoned {
			return nil
		}
		f := stuck.Finding{
			Message:           cmp.Or(w.NotInstalledText(), fmt.Sprintf("the controller of %s is gone", w.Finalizer)),
			BlockedBy:         w.Object.Culprit(),
			Certainty:         stuck.Likely,
			Verdict:           stuck.ControllerGone,
			HoldsWithoutProbe: true,
			Evidence:          append(kit.SearchEvidence(w), evidence...),
			Doubt:             doubt,
			Steps:             reinstallSteps(w),
			OnForce:           kit.CostWithoutController(w),
		}
		f.Evidence = append(f.Evidence, "no workload was found that could take it off")
		return []stuck.Finding{f}
	},
}

// reinstallSteps are to install the controller again, and what the catalog knows besides:
// the logs of what is not there cannot be read.
func reinstallSteps(w controller.Controller) []stuck.Step {
	steps := []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("install the controller of %s again, in the same version, and let it finish", w.Finalizer)}}
	if len(w.CatalogMatch.Entries) == 0 {
		return steps
	}
	if w.NotInstalled != nil {
		steps[0].Description = fmt.Sprintf("install %s again, in the same version, and let it finish", w.NotInstalled.Project)
	}
	for _, s := range kit.CatalogSteps(w, "") {
		if s.Description != "" && !s.ReadsLogs {
			steps = append(steps, s)
		}
	}
	return steps
}

// namespaceExists says that an object's namespace is there, so that what could not be
// read of it is not taken for a controller that died with it.
func namespaceExists(view *cluster.View, namespace string) bool {
	return namespace == "" || view.Namespace(namespace).Found()
}

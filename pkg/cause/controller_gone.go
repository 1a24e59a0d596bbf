package cause

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerGone is a finalizer whose controller was not found, after every clue was
// examined.
var ControllerGone = kit.Cause{
	ID:    "controller-gone",
	Title: "No controller exists for a finalizer",
	Doc: kit.Doc{
		Symptoms: "An object is Terminating with a finalizer that is not a finalizer of Kubernetes. No workload has permissions on the type, no workload has the name of the field manager that set the finalizer, the release that installed the type was uninstalled, no API group of its project is served, or no controller watches the type.",
		Why:      "The controller was uninstalled before the objects that have its finalizer.",
		Fix:      "Reinstall the controller in the same version, and let it finish. If you cannot reinstall the controller, remove the finalizer by force.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind, in the cluster or outside of it.",
	},
	ControllerAbsent: true,
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
		return []stuck.Finding{{
			Message:           cmp.Or(w.NotInstalledText(), fmt.Sprintf("no controller is left for %s", w.Finalizer)),
			BlockedBy:         w.Object.Culprit(),
			Certainty:         stuck.Likely,
			Verdict:           stuck.ControllerGone,
			HoldsWithoutProbe: true,
			Evidence:          kit.SearchEvidence(w, append(evidence, "no workload was found that could be the controller of "+w.Finalizer)...),
			Doubt:             doubt,
			Steps:             reinstallSteps(w),
			OnForce:           kit.CostWithoutController(w),
		}}
	},
}

// reinstallSteps are to reinstall the controller, and what the catalog knows besides:
// what a controller does after a change needs the controller, the logs of what does not exist cannot be read, nor objects of types that are not
// served.
func reinstallSteps(w controller.Controller) []stuck.Step {
	steps := []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("reinstall the controller of %s in the same version, and let it finish", w.Finalizer)}}
	if len(w.CatalogMatch.Entries) == 0 {
		return steps
	}
	if w.NotInstalled != nil {
		steps[0].Description = fmt.Sprintf("reinstall %s in the same version, and let it finish", w.NotInstalledName())
	}
	for _, s := range kit.FollowableCatalogSteps(w) {
		readsUnserved := w.UnservedDomain != "" && strings.Contains(s.Command, w.UnservedDomain)
		if s.Action == stuck.ActionCheck && !s.ReadsLogs && !readsUnserved {
			steps = append(steps, s)
		}
	}
	return steps
}

// namespaceExists reports whether an object's namespace exists, so that what could not be
// read of it is not taken for a controller that was deleted with it.
func namespaceExists(view *cluster.View, namespace string) bool {
	return namespace == "" || view.Namespace(namespace).Found()
}

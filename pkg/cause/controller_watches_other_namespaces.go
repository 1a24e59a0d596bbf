package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerWatchesOtherNamespaces is a controller that was told to work in other namespaces
// only.
var ControllerWatchesOtherNamespaces = kit.Cause{
	ID:    "controller-watches-other-namespaces",
	Title: "The controller of a finalizer works in other namespaces only",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy, and its environment or arguments name the namespaces it watches. That of the object is not among them.",
		Why:      "It was installed for some namespaces (WATCH_NAMESPACE, an OLM OperatorGroup, a --namespace flag), or the list was shortened while objects elsewhere still carried its finalizer.",
		Fix:      "Add the namespace to its list until it has finished.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete || w.Object.Namespace == "" {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			watched := controller.WatchScopeOf(c.Workload)
			if watched == nil || watched.Contains(w.Object.Namespace) {
				return nil // one that works here is enough
			}
			out = append(out, stuck.Finding{
				Message:   kit.ControllerName(w, c) + " works in other namespaces only",
				BlockedBy: c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence: append(controller.CheckHealth(view, c.Workload).Evidence,
					fmt.Sprintf("it watches %s (%s), not %s", strings.Join(watched.Namespaces, ", "), watched.Source, w.Object.Namespace), kit.CluesLine(w, c)),
				Steps: []stuck.Step{{
					Action:      stuck.ActionChange,
					Description: fmt.Sprintf("add %s to %s until it has finished", w.Object.Namespace, watched.Source),
					Command:     stuck.Kubectlf(c.Namespace, "edit %s", c.Ref()),
				}},
				OnForce: kit.CostWithoutController(w),
			})
		}
		return out
	},
}

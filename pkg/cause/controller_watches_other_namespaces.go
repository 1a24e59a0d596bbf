package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerWatchesOtherNamespaces is a controller that is configured to watch other
// namespaces only.
var ControllerWatchesOtherNamespaces = kit.Cause{
	ID:    "controller-watches-other-namespaces",
	Title: "The controller of a finalizer watches other namespaces only",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy, and its environment or arguments name the namespaces that it watches. The namespace of the object is not one of them.",
		Why:      "The controller was installed for some namespaces (WATCH_NAMESPACE, an OLM OperatorGroup, a --namespace flag), or the list was shortened while objects in other namespaces still had its finalizer.",
		Fix:      "Add the namespace to the list until the controller has finished.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete || w.Object.Namespace == "" {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			watched := controller.WatchScopeOf(c.Workload, w)
			if watched == nil || watched.Contains(w.Object.Namespace) {
				return nil // one that watches it is enough
			}
			out = append(out, stuck.Finding{
				Message:   kit.ControllerName(w, c) + " does not watch namespace " + w.Object.Namespace,
				BlockedBy: c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence: slices.Concat([]string{
					fmt.Sprintf("%s watches only %s (%s)", c.Ref(), strings.Join(watched.Namespaces, ", "), watched.Source),
				}, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
				Steps:   []stuck.Step{scopeStep(c, *watched, w.Object.Namespace)},
				OnForce: kit.CostWithoutController(w),
			})
		}
		return out
	},
}

// scopeStep adds a namespace to those in which a controller works.
func scopeStep(c controller.Candidate, watched controller.WatchScope, namespace string) stuck.Step {
	change, edit := fmt.Sprintf("add %s to %s", namespace, watched.Source), stuck.Kubectlf(c.Namespace, "edit %s", c.Ref())
	switch {
	case watched.Extend != nil:
		return *watched.Extend
	case watched.IsOwn:
		change = fmt.Sprintf("change %s, which limits it to its own namespace, so that it works in %s too,", watched.Source, namespace)
	case watched.Source == controller.SourceOwnNamespace:
		change = fmt.Sprintf("set WATCH_NAMESPACE to the value %s,%s in place of its fieldRef", c.Namespace, namespace)
	case watched.Source == controller.SourceOperatorGroup:
		change = fmt.Sprintf("add %s to spec.targetNamespaces of the OperatorGroup", namespace)
		edit = stuck.Kubectlf(c.Namespace, "edit operatorgroups.operators.coreos.com")
	}
	return stuck.Step{Action: stuck.ActionChange, Description: change + " until the controller has finished", Command: edit}
}

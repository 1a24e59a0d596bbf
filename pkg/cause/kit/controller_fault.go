package kit

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FaultFindings is the finding that the controller has a fault, none where a candidate runs
// and may be at work, has another fault, or not every clue could be looked at.
func FaultFindings(view *cluster.View, w controller.Controller, fault controller.Fault, words string, fix func(controller.Candidate) []stuck.Step) []stuck.Finding {
	alive := w.Alive(view)
	notActing := alive == stuck.Running && len(w.Candidates) > 1 && controller.IsTypeUnwatched(view, w)
	if !w.Complete || alive != stuck.NotRunning && !notActing {
		return nil
	}
	var out []stuck.Finding
	for _, c := range w.Candidates {
		health := controller.CheckHealth(view, c.Workload)
		if health.Fault != fault || InDeletingNamespace(view, w, c) {
			continue
		}
		evidence := health.Evidence
		if fault != controller.FaultScaledToZero {
			evidence = slices.Concat(evidence[1:], evidence[:1]) // what is wrong with the Pods proves it
		}
		f := stuck.Finding{
			Message:   ControllerName(w, c) + " " + words,
			BlockedBy: c.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  slices.Concat(evidence, w.ClueTexts(c)),
			Steps:     fix(c),
			OnForce:   CostWithoutController(w),
		}
		addRoot(&f, health.Root)
		out = append(out, f)
	}
	return out
}

// addRoot names what is behind the fault of a controller. The root is in the evidence
// already.
func addRoot(f *stuck.Finding, root controller.Root) {
	if root.Text == "" {
		return
	}
	f.Message += ": " + root.Text
	f.Steps = append(slices.Clone(root.Steps), f.Steps...)
	if root.Culprit != nil {
		f.BlockedBy = *root.Culprit
	}
}

// InDeletingNamespace reports whether a controller is in the namespace of the
// object, and that is being deleted: then repairing it is of no use.
func InDeletingNamespace(view *cluster.View, w controller.Controller, c controller.Candidate) bool {
	ns := view.Namespace(c.Namespace)
	return c.Namespace == w.Object.Namespace && ns.Found() && ns.Value.DeletionTimestamp != nil
}

// DescribeSteps are the steps that show what keeps a workload from running.
func DescribeSteps(c controller.Candidate) []stuck.Step {
	return []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see why no pod of " + c.Ref() + " is ready", Command: stuck.Kubectlf(c.Namespace, "describe %s", c.Ref())},
		{Action: stuck.ActionCheck, Description: "see the pods and events in namespace " + c.Namespace, Command: stuck.Kubectlf(c.Namespace, "get pods,events")},
	}
}

package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// BuiltInControllerDisabled is a kube-controller-manager that runs without the controller
// that removes a finalizer of the object.
var BuiltInControllerDisabled = kit.Cause{
	ID:    "built-in-controller-disabled",
	Title: "kube-controller-manager runs without the controller that removes the finalizer",
	Doc: kit.Doc{
		Symptoms: "kube-controller-manager renews its Lease, and objects of one type keep a finalizer of Kubernetes. The pods of kube-controller-manager have a flag such as `--controllers=*,-persistentvolumeclaim-protection-controller`, or `--enable-garbage-collector=false`.",
		Why:      "Each controller of kube-controller-manager removes its own finalizers. Controllers that `--controllers` leaves out do not start, and the admission plugins of the API server still add their finalizers to new objects.",
		Fix:      "Enable the controller in the manifest of kube-controller-manager on each control plane node.",
		IfForced: "The check or the cleanup by that controller is skipped.",
	},
	Applies: kit.NeedsControllerManager,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		byController := map[cluster.BuiltInController][]string{}
		var order []cluster.BuiltInController
		for _, finalizer := range kit.ControllerManagerFinalizers(o) {
			by, ok := cluster.BuiltInControllerOf(o, finalizer)
			if !ok {
				continue
			}
			if enabled, known := view.BuiltInControllerEnabled(by); !known || enabled {
				continue
			}
			if !slices.Contains(order, by) {
				order = append(order, by)
			}
			byController[by] = append(byController[by], finalizer)
		}
		for _, by := range order {
			findings = append(findings, disabledControllerFinding(by, byController[by]))
		}
		return findings
	},
}

func disabledControllerFinding(by cluster.BuiltInController, finalizers []string) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("kube-controller-manager runs without its controller %s", by),
		BlockedBy: stuck.Culprit{Kind: "Controller", Name: string(by)},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  finalizers,
		Evidence:  []string{fmt.Sprintf("the flags of the pods of kube-controller-manager disable %s", by)},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see which controllers the flags name", Command: cluster.ControllerManagerFlagsCommand},
			{Action: stuck.ActionChange, Description: fmt.Sprintf("enable %s in the manifest of kube-controller-manager on each control plane node", by)},
		},
		OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "the check or the cleanup by " + string(by) + " is skipped"},
	}
}

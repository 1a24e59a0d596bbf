package capi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// hooks are the stages at which a Machine waits for others: what the
// annotations begin with that ask for it, the reason that its condition
// Deleting then gives, and the condition that said so before Cluster API 1.9
// (kubernetes-sigs/cluster-api api/core/v1beta2/machine_types.go and
// v1beta1_condition_consts.go).
var hooks = []struct{ annotation, reason, before, stage string }{
	{"pre-drain.delete.hook.machine.cluster.x-k8s.io", "WaitingForPreDrainHook", "PreDrainDeleteHookSucceeded", "before the node is drained"},
	{"pre-terminate.delete.hook.machine.cluster.x-k8s.io", "WaitingForPreTerminateHook", "PreTerminateDeleteHookSucceeded", "before the machine is terminated"},
}

// DeleteHook holds a Machine for which somebody has asked to be waited for.
var DeleteHook = kit.Cause{
	ID:    "capi-delete-hook",
	Title: "A hook blocks the deletion of the Cluster API machine",
	Doc: kit.Doc{
		Symptoms: "A Machine has an annotation that begins with `pre-drain.delete.hook.machine.cluster.x-k8s.io` or `pre-terminate.delete.hook.machine.cluster.x-k8s.io`. The condition `Deleting` of the Machine has reason `WaitingForPreDrainHook` or `WaitingForPreTerminateHook`.",
		Why:      "A controller sets such an annotation to act before the machine is deleted: for example, to move the storage of the machine or to remove the machine from etcd. The controller removes the annotation when this work is done. The controller was uninstalled, or cannot do the work.",
		Fix:      "The value of the annotation says who set the annotation. Check that the controller runs, and what the controller reports about the machine. Only if the controller was uninstalled permanently, do its work by hand and remove the annotation.",
		IfForced: "The machine is left behind, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is(group, "Machine") && o.Deleting() && o.HasFinalizer(kit.FinalizerMachine)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		machine, ok := cluster.ReadObject[Object](view, o)
		if !ok {
			return nil
		}
		for _, hook := range hooks {
			var set []string
			for _, key := range slices.Sorted(maps.Keys(machine.Annotations)) {
				if strings.HasPrefix(key, hook.annotation) {
					set = append(set, key)
				}
			}
			if says, waits := waitsForHook(*machine, hook.reason, hook.before); waits && len(set) > 0 {
				return []stuck.Finding{hookFinding(o, *machine, set, hook.stage, says)}
			}
		}
		return nil
	},
}

// waitsForHook reports whether the Machine's own conditions say that it waits for
// hooks of a stage, and in which words.
func waitsForHook(machine Object, reason, before string) (says string, waits bool) {
	if why, message := machine.DeletingCondition(); why == reason {
		return fmt.Sprintf("condition Deleting (%s): %s", why, message), true
	}
	for _, c := range machine.Status.Conditions {
		if c.Type == before && c.Status == "False" && c.Reason == "WaitingExternalHook" {
			return fmt.Sprintf("condition %s is False (%s)", c.Type, c.Reason), true
		}
	}
	return "", false
}

func hookFinding(o stuck.Object, machine Object, set []string, stage, says string) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("a hook %s is not done: %s", stage, strings.Join(set, ", ")),
		BlockedBy: o.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerMachine},
		Evidence:  []string{says},
		OnForce:   kit.ExternalCost(o),
	}
	for _, key := range set {
		by := "the software of the hook"
		if value := machine.Annotations[key]; value != "" {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%q set %s and removes it when its work is done", value, key))
			by = fmt.Sprintf("%q", value)
		}
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: fmt.Sprintf("remove the annotation, only if %s was uninstalled and its work is done by hand", by),
			Command:     stuck.Kubectlf(o.Namespace, "annotate %s %s-", o.Ref(), key),
		})
	}
	return f
}

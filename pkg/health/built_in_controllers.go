package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// builtInWork is what a controller of kube-controller-manager does for deletions, and on
// which type.
type builtInWork struct {
	controller      cluster.BuiltInController
	group, resource string
	impact          string
}

// builtInControllers are the controllers of kube-controller-manager that deletions depend on.
var builtInControllers = []builtInWork{
	{cluster.NamespaceController, "", "namespaces", "namespaces are not deleted"},
	{cluster.GarbageCollector, "", "", "dependents are not deleted after their owner, and finalizers foregroundDeletion and orphan are not removed"},
	{cluster.ClaimProtectionController, "", "persistentvolumeclaims", "the finalizer kubernetes.io/pvc-protection is not removed from claims"},
	{cluster.VolumeProtectionController, "", "persistentvolumes", "the finalizer kubernetes.io/pv-protection is not removed from volumes"},
	{cluster.JobController, "", "pods", "the finalizer batch.kubernetes.io/job-tracking is not removed from the pods of Jobs"},
	{cluster.PodGarbageCollector, "", "pods", "pods of deleted nodes are not deleted"},
	{cluster.AttachDetachController, "storage.k8s.io", "volumeattachments", "volumes are not detached, so pods that use them on another node do not start"},
	{cluster.QuotaController, "", "resourcequotas", "ResourceQuotas are not updated, so deleted objects still count"},
	{cluster.ResourceClaimController, "resource.k8s.io", "resourceclaims", "the finalizer resource.kubernetes.io/delete-protection is not removed from ResourceClaims"},
}

// disabledBuiltInControllers are the problems of controllers that the flags of
// kube-controller-manager leave out, and what the flags say. That
// kube-controller-manager leads does not say that each of its controllers runs.
func (c *checker) disabledBuiltInControllers() (problems []stuck.Problem, summary string) {
	var enabled, disabled []string
	for _, w := range builtInControllers {
		if w.resource != "" && !c.includesType(w.group, w.resource) {
			continue
		}
		switch on, known := c.view.BuiltInControllerEnabled(w.controller); {
		case !known:
			return nil, "which controllers of kube-controller-manager are enabled is not known: no flags of its pods could be read"
		case on:
			enabled = append(enabled, w.controller.Name())
		default:
			disabled = append(disabled, w.controller.Name())
			problems = append(problems, c.builtInProblem(w, disabledBuiltIn(w.controller)))
		}
	}
	if len(enabled) > 0 {
		summary = "enabled in kube-controller-manager (flags of its pods): " + strings.Join(enabled, ", ")
	}
	if len(disabled) > 0 {
		summary = strings.TrimPrefix(summary+"; disabled: "+strings.Join(disabled, ", "), "; ")
	}
	return problems, summary
}

// disabledBuiltIn is the problem of a controller that the flags leave out.
func disabledBuiltIn(by cluster.BuiltInController) stuck.Problem {
	return stuck.Problem{
		Reason: "built-in-controller-disabled", Causes: []string{cause.BuiltInControllerDisabled.ID},
		Message:  fmt.Sprintf("kube-controller-manager runs without its controller %s", by),
		Evidence: []string{"the flags of the pods of kube-controller-manager disable it (--controllers" + garbageCollectorFlag(by) + ")"},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "which controllers do the flags name?", Command: cluster.ControllerManagerFlagsCommand},
			{Action: stuck.ActionChange, Description: fmt.Sprintf("enable %s in the manifest of kube-controller-manager on each control plane node", by)},
		},
	}
}

// builtInProblem adds to the problem of a controller that does not run what it should do. It is a
// warning where nothing waits: the controller may be replaced by another program.
func (c *checker) builtInProblem(w builtInWork, problem stuck.Problem) stuck.Problem {
	problem.State, problem.Subject = stuck.Warning, stuck.Culprit{Kind: "controller", Name: string(w.controller)}
	problem.Impact = []string{w.impact + ", unless another program does that"}
	waiting := c.stuckObjects(func(o stuck.Object) bool { return waitsForBuiltIn(o, w.controller) })
	if len(waiting) > 0 {
		problem.State, problem.Blocks = stuck.Unhealthy, c.snapshot.withNamespaces(waiting)
		problem.Impact = []string{w.impact}
	}
	return problem
}

// garbageCollectorFlag names the flag that only the garbage collector has.
func garbageCollectorFlag(c cluster.BuiltInController) string {
	if c == cluster.GarbageCollector {
		return " or --enable-garbage-collector"
	}
	return ""
}

// waitsForBuiltIn reports whether a controller of kube-controller-manager has to remove a
// finalizer of an object.
func waitsForBuiltIn(o stuck.Object, by cluster.BuiltInController) bool {
	if o.IsNamespace() && by == cluster.NamespaceController {
		return true
	}
	return slices.ContainsFunc(o.Finalizers, func(f string) bool {
		c, ok := cluster.BuiltInControllerOf(o, f)
		return ok && c == by
	})
}

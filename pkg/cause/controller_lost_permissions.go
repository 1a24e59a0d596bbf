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

// ControllerLostPermissions is a controller that runs and lacks permissions.
var ControllerLostPermissions = kit.Cause{
	ID:    "controller-lost-permissions",
	Title: "The controller of a finalizer runs, but lacks permissions on the object",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy and its log contains `forbidden`: its ServiceAccount cannot get, list, watch or update the type in this namespace.",
		Why:      "The role or binding of the controller was deleted or changed, or the binding was in the namespace that is being deleted. The namespace controller deletes RoleBindings like all other objects.",
		Fix:      "Grant the permissions again. No RoleBinding can be created in a namespace that is being deleted: use a ClusterRoleBinding until the cleanup is done.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			missing, known := controller.MissingVerbs(view, c.Workload, w)
			if !known {
				return nil
			}
			if c.ServesType || len(missing) == 0 {
				return nil // one that may act is enough
			}
			out = append(out, missingVerbsFinding(view, w, c, missing))
		}
		return out
	},
}

func missingVerbsFinding(view *cluster.View, w controller.Controller, c controller.Candidate, missing []string) stuck.Finding {
	t := w.Object.Type
	evidence := []string{
		fmt.Sprintf("no role allows %s to %s %s%s", stuck.RefInNamespace("serviceaccount", c.ServiceAccountName(), c.Namespace), strings.Join(missing, ", "), t, stuck.InNamespace(w.Object.Namespace)),
	}
	steps := temporaryRoleSteps(view, w, c)
	if role := controller.UnboundRole(view, c.Workload, w); role != "" {
		evidence = append(evidence, fmt.Sprintf("clusterrole/%s allows it, and no %s refers to it", role, controller.BindingTypes(w.Object.Namespace)))
		steps = []stuck.Step{{
			Action: stuck.ActionChange, Description: fmt.Sprintf("bind clusterrole/%s to serviceaccount/%s again", role, c.ServiceAccountName()), Command: stuck.Shellf(
				"kubectl create clusterrolebinding %s --clusterrole=%s --serviceaccount=%s:%s", c.Name+"-restored", role, c.Namespace, c.ServiceAccountName()),
		}}
	}
	return stuck.Finding{
		Message:   fmt.Sprintf("%s lacks permissions on %s%s", kit.ControllerName(w, c), t, stuck.InNamespace(w.Object.Namespace)),
		BlockedBy: c.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Evidence:  slices.Concat(evidence, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
		Steps:     steps,
		OnForce:   kit.CostWithoutController(w),
	}
}

// temporaryRoleSteps give the controller what it lacks on the type alone. It may need more, which nothing here tells.
func temporaryRoleSteps(view *cluster.View, w controller.Controller, c controller.Candidate) []stuck.Step {
	t, role := w.Object.Type, c.Name+"-finish"
	create := "create a temporary ClusterRole with the missing permissions, and bind it to serviceaccount/" + c.ServiceAccountName()
	if kit.IsTerminatingNamespaceNamed(view, w.Object.Namespace) {
		create += " (no RoleBinding can be created in a namespace that is being deleted)"
	}
	return []stuck.Step{
		{Action: stuck.ActionChange, Description: create, Command: stuck.Shellf(
			"kubectl create clusterrole %s --verb=get,list,watch,update,patch --resource=%s,%s/finalizers && kubectl create clusterrolebinding %s --clusterrole=%s --serviceaccount=%s:%s",
			role, t, t, role, role, c.Namespace, c.ServiceAccountName())},
		{Action: stuck.ActionDelete, Description: "when the controller has finished, delete both again", Command: stuck.Shellf(
			"kubectl delete clusterrolebinding/%s clusterrole/%s", role, role)},
	}
}

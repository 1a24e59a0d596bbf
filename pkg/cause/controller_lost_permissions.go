package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerLostPermissions is a controller that runs and may not do its work.
var ControllerLostPermissions = kit.Cause{
	ID:    "controller-lost-permissions",
	Title: "The controller of a finalizer runs, but may not act on the object",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy and its log says `forbidden`: its ServiceAccount may not get, list, watch or write the type in this namespace.",
		Why:      "Its role or binding was removed or changed, or it lived in the namespace that is being deleted: the namespace controller deletes RoleBindings like everything else.",
		Fix:      "Give the rights back. In a namespace that is being deleted no RoleBinding can be created, so it takes a ClusterRoleBinding until the work is done.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			missing, known := controller.MissingVerbs(view, c.Workload, w.Object)
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
	t, role := w.Object.Type, c.Name+"-finish"
	return stuck.Finding{
		Message:   fmt.Sprintf("%s may not %s %s here", kit.ControllerName(w, c), strings.Join(missing, ", "), t),
		BlockedBy: c.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Evidence: append(controller.CheckHealth(view, c.Workload).Evidence,
			fmt.Sprintf("it runs as serviceaccount %s/%s, and no role that holds in namespace %q allows it to %s %s", c.Namespace, c.ServiceAccountName(), w.Object.Namespace, strings.Join(missing, ", "), t),
			kit.CluesLine(w, c)),
		Steps: []stuck.Step{
			{Action: stuck.ActionChange, Description: "give it the rights back, for the whole cluster: a namespace that is being deleted takes no new RoleBinding", Command: stuck.Shellf(
				"kubectl create clusterrole %s --verb=get,list,watch,update,patch --resource=%s,%s/finalizers", role, t, t)},
			{Action: stuck.ActionChange, Description: "bind them to its account, and delete both again when it has finished", Command: stuck.Shellf(
				"kubectl create clusterrolebinding %s --clusterrole=%s --serviceaccount=%s:%s", role, role, c.Namespace, c.ServiceAccountName())},
		},
		OnForce: kit.CostWithoutController(w),
	}
}

package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerNotLeading is a controller whose Pods wait, because a process outside the
// cluster holds their Lease.
var ControllerNotLeading = kit.Cause{
	ID:    "controller-not-leading",
	Title: "The controller of a finalizer runs, but a process outside its pods is the leader",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are ready, and its leader election Lease is renewed by a holder that is none of its pods.",
		Why:      "Only the leader acts. A copy of the controller that runs on the machine of a developer, or in another cluster, holds the Lease: the pods wait until it stops, and the copy does not remove the finalizer.",
		Fix:      "Find the process that holds the Lease, by the host name before the underscore of its identity, and stop it. A restart of the pods does not help.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if !w.Complete || len(candidates) != 1 || !controller.IsTypeUnwatched(view, w) {
			return nil // where the type is watched, the leader may be at work
		}
		c := candidates[0]
		held, known := controller.LeaderElsewhere(view, c.Workload)
		if held == nil || !known {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("no pod of %s is the leader: another process holds its lease", kit.ControllerName(w, c)),
			BlockedBy: held.Lock,
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  slices.Concat([]string{held.Description}, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "read the holder of the lease: the part before the underscore is the name of its host", Command: stuck.Kubectlf(held.Lock.Namespace, "get lease %s", held.Lock.Name)},
				{Action: stuck.ActionChange, Description: "stop the process on that host; a pod of " + c.Ref() + " then takes the lease"},
			},
			OnForce: kit.CostWithoutController(w),
		}}
	},
}

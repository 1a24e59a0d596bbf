package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerLeaseExpired is a controller whose Pods run, and none of which is the leader.
var ControllerLeaseExpired = kit.Cause{
	ID:    "controller-lease-expired",
	Title: "The controller of a finalizer runs, but none of its pods is the leader",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are ready, but their leader election Lease has expired, or the lock in a ConfigMap is held by a pod that does not exist.",
		Why:      "Only the leader acts. A pod that cannot reach the API server, or hangs, does not renew the Lease. A lock in a ConfigMap never expires, so other pods wait for the lock indefinitely.",
		Fix:      "Restart the controller. If the pod that holds the lock does not exist, delete the lock: the next pod takes it.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerAbsent: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			lost, _ := controller.ExpiredLeaderships(view, w, c)
			if len(lost) == 0 {
				return nil // one that leads, or needs no lock, is enough
			}
			out = append(out, stuck.Finding{
				Message:   fmt.Sprintf("no pod of %s is the leader", kit.ControllerName(w, c)),
				BlockedBy: lost[0].Lock,
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence:  slices.Concat([]string{lost[0].Description}, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
				Steps: []stuck.Step{
					{Action: stuck.ActionCheck, Description: "read in the logs of the pods why none takes the lock", Command: c.LogsCommand()},
					{Action: stuck.ActionChange, Description: "restart " + c.Ref(), Command: stuck.Kubectlf(c.Namespace, "rollout restart %s", c.Ref())},
				},
				OnForce: kit.CostWithoutController(w),
			})
		}
		return out
	},
}

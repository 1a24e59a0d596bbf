package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerLeaseExpired is a controller whose Pods run, and none of which leads.
var ControllerLeaseExpired = kit.Cause{
	ID:    "controller-lease-expired",
	Title: "The controller of a finalizer runs, but none of its pods leads",
	Doc: kit.Doc{
		Symptoms: "The controller's pods are ready, and the Lease by which they lead has not been renewed for longer than it is good for, or the ConfigMap they lock belongs to a pod that is gone.",
		Why:      "Only the leader works. A pod that cannot reach the API server, or hangs, does not renew; another that waits for a lock held for life waits for ever.",
		Fix:      "Restart the controller. If a lock's holder is gone, delete the lock: the next pod takes it.",
		IfForced: "Whatever the controller would have cleaned up stays behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		if !w.Complete {
			return nil
		}
		var out []stuck.Finding
		for _, c := range controller.RunningCandidates(view, w) {
			lost, _ := controller.ExpiredLeaderships(view, c)
			if len(lost) == 0 {
				return nil // one that leads, or needs no lock, is enough
			}
			out = append(out, stuck.Finding{
				Message:   fmt.Sprintf("none of the pods of %s leads", kit.ControllerName(w, c)),
				BlockedBy: lost[0].Lock,
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence:  append(controller.CheckHealth(view, c.Workload).Evidence, lost[0].Description, kit.CluesLine(w, c)),
				Steps: []stuck.Step{
					{Action: stuck.ActionChange, Description: "see what its pods say of the lock", Command: kit.LogsCommand(c, " --all-pods")},
					{Action: stuck.ActionChange, Description: "restart it", Command: stuck.Kubectlf(c.Namespace, "rollout restart %s", c.Ref())},
				},
				OnForce: kit.CostWithoutController(w),
			})
		}
		return out
	},
}

package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerLeaseExpired is a controller whose Pods run, and none of which leads.
var OwnerLeaseExpired = Cause{
	ID:    "owner-lease-expired",
	Title: "The controller of a finalizer runs, but none of its pods leads",
	Doc: Doc{
		Shows: "The controller's pods are ready, and the Lease by which they lead has not been renewed for longer than it is good for, or the ConfigMap they lock belongs to a pod that is gone.",
		Why:   "Only the leader works. A pod that cannot reach the API server, or hangs, does not renew; another that waits for a lock held for life waits for ever.",
		Fix:   "Restart the controller. If a lock's holder is gone, delete the lock: the next pod takes it.",
		Force: "Whatever the controller would have cleaned up stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		if !w.Complete {
			return nil
		}
		var out []stuck.Finding
		for _, c := range running(see, w) {
			lost, _ := lostLeaderships(see, c)
			if len(lost) == 0 {
				return nil // one that leads, or needs no lock, is enough
			}
			out = append(out, stuck.Finding{
				Summary:   fmt.Sprintf("none of the pods of %s leads", its(w, c)),
				Culprit:   lost[0].Lock,
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence:  append(owner.Examine(see, c.Workload).Says, lost[0].Says, because(w, c)),
				Fix: []stuck.Step{
					{What: "see what its pods say of the lock", Command: logs(c, " --all-pods")},
					{What: "restart it", Command: command(c.Namespace, "rollout restart %s", c.Ref())},
				},
				IfForced: leaves(w),
			})
		}
		return out
	},
}

// lostLeaderships are the locks of a workload if nobody holds any of them, and
// whether that could be seen.
func lostLeaderships(see *cluster.View, c owner.Candidate) (lost []owner.Leadership, known bool) {
	lost, known = owner.Leads(see, c.Workload)
	for _, l := range lost {
		if !l.Lost {
			return nil, known
		}
	}
	return lost, known
}

package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServerCannotWrite is an API server that answers and can store nothing.
var APIServerCannotWrite = kit.Cause{
	ID:    "api-server-cannot-write",
	Title: "Nothing can be written: etcd is out of space, or refuses for another reason",
	Doc: kit.Doc{
		Symptoms: "Every write fails, mostly with `etcdserver: mvcc: database space exceeded`, while reads and dry runs succeed and `/readyz` is fine. Conditions and events cannot be written either, so nothing in the cluster says so; but no Lease is renewed any more, not even those that the API servers write for themselves.",
		Why:      "etcd has reached its quota and raised the alarm NOSPACE: from then on it only reads. Every finalizer's last step is a write, and so is every renewal of a Lease, so controllers lose theirs and stop. An unreachable webhook that rejects updates of Leases is a cause of its own (lease-webhook-down); one that answers and denies them looks the same from here.",
		Fix:      "Try a write, and read what it says. If it is etcd's space: compact it, defragment it, and disarm the alarm; then find out what filled it.",
		IfForced: "A forced removal is a write too, and is refused like all others.",
	},
	Applies: kit.NeedsControllerManager,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		lease := kit.ControllerManagerLease(view)
		if !lease.Found() {
			return nil
		}
		expired, ok := lease.Value.Expired(view)
		if !ok {
			return nil
		}
		newest, allExpired := cluster.NewestAPIServerLease(view)
		if newest == nil || !allExpired || len(kit.WebhooksRejectingLease(view).Items) > 0 {
			return nil
		}
		f := stuck.Finding{
			Message:   "nothing is written any more: etcd is out of space, or something refuses every write",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: newest.Namespace, Name: newest.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  kit.ControllerManagerFinalizers(o),
			Evidence: []string{
				fmt.Sprintf("the API server answers, but has not renewed its own lease for %s; it should every ten seconds", duration.HumanDuration(newest.Age())),
				fmt.Sprintf("kube-controller-manager has not renewed its own for %s", duration.HumanDuration(expired.Age())),
			},
			OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "nothing can be forced now: a removal is a write too"},
		}
		if kit.WebhooksRejectingLease(view).Complete {
			f.Steps = storageSpaceSteps
		} else {
			f.Evidence = append(f.Evidence, "whether an unreachable webhook rejects updates of Leases could not be checked")
		}
		return []stuck.Finding{f}
	},
}

// storageSpaceSteps make room in etcd.
var storageSpaceSteps = []stuck.Step{
	{Action: stuck.ActionDelete, Description: "try a write, and read what it says", Command: "kubectl create configmap can-this-be-written -n default && kubectl delete configmap can-this-be-written -n default"},
	{Action: stuck.ActionChange, Description: "if it says that the database space is exceeded, see etcd's alarm and size", Command: "etcdctl alarm list && etcdctl endpoint status --cluster -w table"},
	{Action: stuck.ActionChange, Description: "make room in it: let go of old revisions", Command: `etcdctl compact $(etcdctl endpoint status -w json | grep -o '"revision":[0-9]*' | head -1 | cut -d: -f2)`},
	{Action: stuck.ActionChange, Description: "give the room back", Command: "etcdctl defrag --cluster"},
	{Action: stuck.ActionChange, Description: "and let it write again", Command: "etcdctl alarm disarm"},
}

package cause

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServerCannotWrite is an API server that responds and cannot store anything.
var APIServerCannotWrite = kit.Cause{
	ID:    "api-server-cannot-write",
	Title: "etcd is out of space, or rejects all writes for another reason",
	Doc: kit.Doc{
		Symptoms: "Every write fails, usually with `etcdserver: mvcc: database space exceeded`, while reads and dry runs succeed and `/readyz` passes. Conditions and events cannot be written either, so no object reports the error. No Lease is renewed, including the Leases of the API servers.",
		Why:      "etcd reached its quota and raised the alarm NOSPACE. etcd then accepts reads only. Removing a finalizer is a write, and so is renewing a Lease: controllers lose their Leases and stop. An unreachable webhook that rejects updates of Leases is a separate cause (lease-webhook-down). A webhook that responds and denies updates of Leases cannot be distinguished from this cause, unless a must-gather lists the alarms of etcd: an alarm confirms it. With the alarm CORRUPT, etcd rejects reads as well.",
		Fix:      "Try a write and read the error. If the database space is exceeded, compact etcd, defragment etcd, and disarm the alarm. Then find out what filled the database. With the alarm CORRUPT, replace the member whose data differs.",
		IfForced: "A forced removal is a write and is rejected too.",
	},
	Applies: kit.NeedsControllerManager,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if alarms := view.EtcdAlarms(); len(alarms) > 0 {
			return []stuck.Finding{etcdAlarmFinding(o, alarms)}
		}
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
			Message:   "the API server cannot write: etcd is out of space or rejects all writes",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: newest.Namespace, Name: newest.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  kit.ControllerManagerFinalizers(o),
			Evidence: []string{
				fmt.Sprintf("the API server responds, but has not renewed its own Lease for %s (expected: every 10s)", duration.HumanDuration(newest.Age())),
				fmt.Sprintf("kube-controller-manager has not renewed its Lease for %s", duration.HumanDuration(expired.Age())),
			},
			OnForce: rejectedRemoval,
		}
		if kit.WebhooksRejectingLease(view).Complete {
			f.Steps = storageSpaceSteps
		} else {
			f.Evidence = append(f.Evidence, "not checked: whether an unreachable webhook rejects updates of Leases")
		}
		return []stuck.Finding{f}
	},
}

var rejectedRemoval = stuck.Cost{Leaves: stuck.LeakUnknown, Description: "a forced removal is a write and is rejected too"}

// etcdAlarmFinding is what the alarms of etcd prove. CORRUPT stops more than NOSPACE, and must not be
// answered by disarming it.
func etcdAlarmFinding(o stuck.Object, alarms []cluster.EtcdAlarm) stuck.Finding {
	f := stuck.Finding{
		Message:   "the API server cannot write: etcd is out of space",
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  kit.ControllerManagerFinalizers(o),
		Steps:     slices.Concat([]stuck.Step{{Action: stuck.ActionCheck, Description: "see the alarms and the size of etcd", Command: alarmsCommand}}, storageSpaceSteps[2:]),
		OnForce:   rejectedRemoval,
	}
	reported := alarms[0]
	for _, alarm := range alarms {
		line := "etcd raised the alarm " + alarm.Type
		if alarm.Member != "" {
			line += " on member " + alarm.Member
		}
		f.Evidence = append(f.Evidence, line+": "+etcdAlarmEffects[alarm.Type])
		if alarm.Type == cluster.EtcdCorrupt && reported.Type != cluster.EtcdCorrupt {
			reported = alarm
		}
	}
	if reported.Type == cluster.EtcdCorrupt {
		f.Message, f.Steps = "the API server cannot write: the data of the members of etcd differs", corruptDataSteps
	}
	f.BlockedBy = stuck.Culprit{Kind: "EtcdMember", Name: cmp.Or(reported.Member, "unknown")} // etcd does not always know which
	return f
}

var etcdAlarmEffects = map[string]string{
	cluster.EtcdNoSpace: "etcd rejects all writes that take space",
	cluster.EtcdCorrupt: "etcd rejects all reads and writes",
}

// corruptDataSteps find the member of etcd that is wrong. Disarming the alarm before would spread what it has.
var corruptDataSteps = []stuck.Step{
	{Action: stuck.ActionCheck, Description: "see which member has other data, and do not disarm the alarm before it is replaced", Command: "etcdctl alarm list && etcdctl endpoint hashkv --cluster -w table"},
	{Action: stuck.ActionCheck, Description: "see the ids of the members, to replace the one that differs", Command: "etcdctl member list -w table"},
}

const alarmsCommand = "etcdctl alarm list && etcdctl endpoint status --cluster -w table"

// storageSpaceSteps free space in etcd.
var storageSpaceSteps = []stuck.Step{
	{Action: stuck.ActionChange, Description: "try a write, and read the error (creates and deletes a ConfigMap)", Command: "kubectl create configmap can-this-be-written -n default && kubectl delete configmap can-this-be-written -n default"},
	{Action: stuck.ActionCheck, Description: "see the alarms and the size of etcd, if the error is that the database space is exceeded", Command: alarmsCommand},
	{Action: stuck.ActionChange, Description: "discard old revisions in etcd", Command: `etcdctl compact $(etcdctl endpoint status -w json | grep -o '"revision":[0-9]*' | head -1 | cut -d: -f2)`},
	{Action: stuck.ActionChange, Description: "return the space to the disk", Command: "etcdctl defrag --cluster"},
	{Action: stuck.ActionChange, Description: "allow writes again", Command: "etcdctl alarm disarm"},
}

package cause

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodJobTracking holds a Pod that the Job controller should have counted.
var PodJobTracking = kit.Cause{
	ID:    "job-tracking",
	Title: "A pod waits to be counted by a Job that will not count it",
	Doc: kit.Doc{
		Symptoms: "A Pod has the finalizer `batch.kubernetes.io/job-tracking` and does not go.",
		Why:      "The Job controller puts the finalizer on the Pods of a Job and takes it off once they are counted. It leaves a Pod alone whose controller is not a Job, or whose Job says in `spec.managedBy` that another controller manages it; and old versions (1.22 to 1.26) forgot Pods whose Job was gone.",
		Fix:      "Where another controller manages the Job, that one has to finish. Where the Job is gone, restart or upgrade kube-controller-manager.",
		IfForced: "The Job may count wrongly and start another Pod. Where the Job is gone, nothing.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && kit.DeletingWith(kit.FinalizerJob)(o) },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		owner, ok := o.ControllerReference()
		switch {
		case !ok:
			return nil // the Job controller takes the finalizer off by itself
		case owner.Kind != "Job":
			return []stuck.Finding{ownerNotJobFinding(owner)}
		}
		job := view.Job(o.Namespace, owner.Name)
		switch {
		case job.Absent(), job.Found() && job.Value.UID != owner.UID:
			return []stuck.Finding{jobDeletedFinding(view, o, owner)}
		case job.Found() && isManagedExternally(*job.Value):
			return []stuck.Finding{externalManagerFinding(o, *job.Value)}
		}
		return nil
	},
}

// isManagedExternally reports whether the built-in controller leaves the Job alone
// (k8s.io/api/batch/v1 JobSpec.ManagedBy).
func isManagedExternally(job batchv1.Job) bool {
	return job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != batchv1.JobControllerName
}

func ownerNotJobFinding(owner stuck.OwnerReference) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("the Job controller leaves it alone: it belongs to %s %s, which is no Job", owner.Kind, owner.Name),
		BlockedBy: stuck.Culprit{Kind: owner.Kind, Name: owner.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Unknown,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("the finalizer is for pods of Jobs; its controller by ownerReference is %s %s", owner.Kind, owner.Name)},
		Steps:     []stuck.Step{{Action: stuck.ActionCheck, Description: "find out what put the finalizer on this pod, and let that take it off"}},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "no Job counts this pod"},
	}
}

// orphanedPodDelay is how long the Job controller may take to notice a Pod that its
// Job has left behind. It needs seconds.
const orphanedPodDelay = 30 * time.Second

func jobDeletedFinding(view *cluster.View, pod stuck.Object, owner stuck.OwnerReference) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("its job %s no longer exists", owner.Name),
		BlockedBy: stuck.Culprit{Kind: "Job", Namespace: pod.Namespace, Name: owner.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.ControllerGone,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("no job %s with uid %s exists", owner.Name, owner.UID)},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "the job that would have counted this pod is gone"},
	}
	if pod.StuckDuration(view.Now()) < orphanedPodDelay {
		f.Verdict = stuck.Progressing
		f.Evidence = append(f.Evidence, "the Job controller takes the finalizer off such pods within seconds")
		return f
	}
	f.Evidence = append(f.Evidence, "the Job controller takes the finalizer off such pods within seconds, and has not")
	f.Steps = []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "see what kube-controller-manager says of it; it takes the finalizer off when it is restarted",
		Command:     stuck.Shellf("kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep %s", pod.Name),
	}}
	return f
}

func externalManagerFinding(pod stuck.Object, job batchv1.Job) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("job/%s is managed by %s, which has not counted it", job.Name, *job.Spec.ManagedBy),
		BlockedBy: stuck.Culprit{Kind: "Job", Namespace: job.Namespace, Name: job.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("spec.managedBy of the job is %s, so the Job controller of Kubernetes leaves its pods alone", *job.Spec.ManagedBy)},
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "get the controller that calls itself " + *job.Spec.ManagedBy + " to finish the job",
			Command:     stuck.Kubectlf(pod.Namespace, "describe job %s", job.Name),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "the job may count this pod wrongly and start another"},
	}
}

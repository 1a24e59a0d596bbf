package cause

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodJobTracking blocks a Pod that the Job controller should have counted.
var PodJobTracking = kit.Cause{
	ID:    "job-tracking",
	Title: "The Job controller does not remove batch.kubernetes.io/job-tracking from a pod",
	Doc: kit.Doc{
		Symptoms: "A Pod has the finalizer `batch.kubernetes.io/job-tracking` and stays in Terminating.",
		Why:      "The Job controller sets the finalizer on the Pods of a Job, and removes the finalizer after it has counted the Pods. The Job controller ignores a Pod whose owner is not a Job, or whose Job names another controller in `spec.managedBy`. Old versions (1.22 to 1.26) ignored Pods whose Job was deleted.",
		Fix:      "If another controller manages the Job, let that controller finish. If the Job does not exist, restart or upgrade kube-controller-manager.",
		IfForced: "The Job may count wrongly and start another Pod. If the Job does not exist, nothing is left behind.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && kit.DeletingWith(kit.FinalizerJob)(o) },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		owner, ok := o.ControllerReference()
		switch {
		case !ok:
			return nil // the Job controller removes the finalizer
		case owner.Kind != "Job":
			return []stuck.Finding{ownerNotJobFinding(o, owner)}
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

// isManagedExternally reports whether the built-in controller ignores the Job
// (k8s.io/api/batch/v1 JobSpec.ManagedBy).
func isManagedExternally(job batchv1.Job) bool {
	return job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != batchv1.JobControllerName
}

func ownerNotJobFinding(pod stuck.Object, owner stuck.OwnerReference) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("the Job controller ignores the pod: owner %s/%s is not a Job", strings.ToLower(owner.Kind), owner.Name),
		BlockedBy: stuck.Culprit{Kind: owner.Kind, Name: owner.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Unknown,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("the finalizer is for pods of Jobs; the owner of this pod is %s/%s", strings.ToLower(owner.Kind), owner.Name)},
		Steps:     []stuck.Step{{Action: stuck.ActionCheck, Description: "see which field manager set the finalizer", Command: stuck.Kubectlf(pod.Namespace, "get pod %s -o yaml --show-managed-fields", pod.Name)}},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "no Job counts this pod"},
	}
}

// orphanedPodDelay is how long the Job controller may take to process a Pod whose
// Job was deleted. It needs seconds.
const orphanedPodDelay = 30 * time.Second

func jobDeletedFinding(view *cluster.View, pod stuck.Object, owner stuck.OwnerReference) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("job/%s does not exist", owner.Name),
		BlockedBy: stuck.Culprit{Kind: "Job", Namespace: pod.Namespace, Name: owner.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.ControllerGone,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("job/%s with uid %s, the owner of the pod, does not exist", owner.Name, owner.UID)},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "the job of the pod does not exist"},
	}
	if pod.StuckDuration(view.Now()) < orphanedPodDelay {
		f.Verdict = stuck.Progressing
		f.Evidence = append(f.Evidence, "the Job controller removes the finalizer of such pods within seconds")
		return f
	}
	f.Evidence = append(f.Evidence, "the Job controller removes the finalizer of such pods within seconds, but has not")
	f.Steps = []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "read what kube-controller-manager logs about the pod",
		Command:     stuck.Shellf("kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep %s", pod.Name),
	}, kit.RestartControllerManagerStep(", which then removes the finalizer")}
	return f
}

func externalManagerFinding(pod stuck.Object, job batchv1.Job) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("controller %s of job/%s has not counted the pod", *job.Spec.ManagedBy, job.Name),
		BlockedBy: stuck.Culprit{Kind: "Job", Namespace: job.Namespace, Name: job.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerJob},
		Evidence:  []string{fmt.Sprintf("spec.managedBy of the job is %s, so the Job controller of Kubernetes ignores its pods", *job.Spec.ManagedBy)},
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see the state of the job, which controller " + *job.Spec.ManagedBy + " has to finish",
			Command:     stuck.Kubectlf(pod.Namespace, "describe job %s", job.Name),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: "the job may count this pod wrongly and start another"},
	}
}

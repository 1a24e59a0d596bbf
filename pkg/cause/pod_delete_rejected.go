package cause

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodDeleteRejected is a Pod without finalizers whose last DELETE is rejected by a
// webhook that nobody answers for.
var PodDeleteRejected = kit.Cause{
	ID:    "pod-delete-rejected",
	Title: "A pod's last DELETE is rejected by an unreachable webhook",
	Doc: kit.Doc{
		Symptoms: "A Pod without finalizers is past its grace period. Its containers have ended, or its node is gone and its condition `DisruptionTarget` is True with reason `DeletionByPodGC`. A webhook configuration covers DELETE of pods, and `kubectl delete pod --force` fails with `failed calling webhook`.",
		Why:      "A Pod is deleted twice: by whoever wants it gone, and at the end, with no grace period, by its kubelet, by the pod garbage collector or by `kubectl delete --force`. That last DELETE goes through admission too. A webhook with failurePolicy Fail that nobody answers for rejects it each time.",
		Fix:      "Bring the webhook back, or let the API server ignore it (failurePolicy Ignore). The kubelet and the pod garbage collector try again by themselves.",
		IfForced: "`kubectl delete pod --force` is a DELETE like any other and is rejected too.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() && len(o.Finalizers) == 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := cluster.ReadObject[corev1.Pod](view, o)
		if !ok {
			return nil
		}
		var findings []stuck.Finding
		for _, hook := range kit.WebhooksRejectingDelete(view, o).Items {
			findings = append(findings, deleteRejectedFinding(view, *pod, hook))
		}
		return findings
	},
}

func deleteRejectedFinding(view *cluster.View, pod corev1.Pod, hook backend.Webhook) stuck.Finding {
	f := kit.PodOnLostNodeFinding(pod)
	f.Message = fmt.Sprintf("its last DELETE is rejected: webhook %s of %s is unreachable", hook.Name, hook.ConfigurationRef)
	f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	f.Certainty = stuck.Likely
	f.Evidence = append([]string{"its rules cover DELETE of pods here, and its failurePolicy is Fail"}, backend.ServiceProblems(view, *hook.Service)...)
	if c := kit.PodGCCondition(pod); c != nil && view.Node(pod.Spec.NodeName).Absent() {
		f.Evidence = append([]string{
			fmt.Sprintf("the pod garbage collector tries to delete it: condition DisruptionTarget (%s): %s", c.Reason, c.Message),
			fmt.Sprintf("it has for %s, and the pod is still there: its DELETE is rejected", kit.ElapsedText(view, c.LastTransitionTime.Time)),
		}, f.Evidence...)
		if kit.Elapsed(view, c.LastTransitionTime.Time) > podGCPeriod {
			f.Certainty = stuck.Confirmed
		}
	}
	f.OnForce.Description = "while this lasts, force is rejected too; " + f.OnForce.Description
	f.Steps = append(backend.WebhookRepairSteps(view, hook, false), backend.WebhookBypassSteps(hook)...)
	return f
}

// podGCPeriod is the time between two passes of the pod garbage collector.
const podGCPeriod = 20 * time.Second

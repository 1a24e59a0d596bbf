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

// PodDeleteRejected is a Pod without finalizers whose last DELETE is rejected by an
// unreachable webhook.
var PodDeleteRejected = kit.Cause{
	ID:    "pod-delete-rejected",
	Title: "An unreachable webhook rejects the final DELETE of a pod",
	Doc: kit.Doc{
		Symptoms: "A Pod without finalizers is past its grace period. Its containers have ended, or its node does not exist and its condition `DisruptionTarget` is True with reason `DeletionByPodGC`. A webhook configuration matches DELETE of pods, and `kubectl delete pod --force` fails with `failed calling webhook`.",
		Why:      "A Pod is deleted twice: first by a user or a controller, and finally, with no grace period, by its kubelet, by the pod garbage collector or by `kubectl delete --force`. The final DELETE goes through admission too. An unreachable webhook with failurePolicy Fail rejects every attempt.",
		Fix:      "Repair the webhook, or set its failurePolicy to Ignore. The kubelet and the pod garbage collector then retry.",
		IfForced: "`kubectl delete pod --force` is a DELETE and is rejected too.",
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
	f.Message = fmt.Sprintf("webhook %s is unreachable and rejects the last DELETE (%s)", hook.Name, hook.ConfigurationRef)
	f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	f.Certainty = stuck.Likely
	f.Evidence = append([]string{"the webhook matches DELETE of the pod (failurePolicy: Fail)"}, backend.ServiceProblems(view, *hook.Service)...)
	if c := kit.PodGCCondition(pod); c != nil && view.Node(pod.Spec.NodeName).Absent() {
		f.Evidence = append([]string{
			fmt.Sprintf("the pod garbage collector deletes the pod: condition DisruptionTarget (%s): %s", c.Reason, c.Message),
			fmt.Sprintf("the pod still exists %s later, so the DELETE is rejected", kit.ElapsedText(view, c.LastTransitionTime.Time)),
		}, f.Evidence...)
		if kit.Elapsed(view, c.LastTransitionTime.Time) > podGCPeriod {
			f.Certainty = stuck.Confirmed
		}
	}
	f.OnForce.Description += "; until this is fixed, a forced removal is rejected too"
	f.Steps = append(backend.WebhookRepairSteps(view, hook, false), backend.WebhookBypassSteps(hook)...)
	kit.AddServiceRoot(view, &f, *hook.Service)
	return f
}

// podGCPeriod is the time between two passes of the pod garbage collector.
const podGCPeriod = 20 * time.Second

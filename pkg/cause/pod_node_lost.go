package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodNodeLost holds a Pod whose kubelet no longer answers.
var PodNodeLost = kit.Cause{
	ID:    "node-lost",
	Title: "The pod's node is gone or does not answer",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period, often without any finalizer, and its node is NotReady with reason NodeStatusUnknown, or does not exist.",
		Why:      "Only the kubelet can say that the containers have stopped. While it is silent nobody knows, and the Pod stays so that no second copy of it is started.",
		Fix:      "Bring the node back. If it is certainly switched off, say so: taint it `node.kubernetes.io/out-of-service`, or delete the Node. Its Pods then go by themselves.",
		IfForced: "The containers may still be running. A StatefulSet starts a second copy beside them, and both may write to the same volume.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := cluster.ReadObject[corev1.Pod](view, o)
		if !ok || pod.Spec.NodeName == "" {
			return nil
		}
		node := view.Node(pod.Spec.NodeName)
		switch {
		case node.Absent():
			return nodeDeletedFindings(view, o, *pod)
		case node.Found() && unknownReadyCondition(*node.Value) != nil:
			return []stuck.Finding{nodeUnreachableFinding(view, *pod, *node.Value)}
		}
		return nil
	},
}

// unknownReadyCondition is the Ready condition of a node whose kubelet has stopped reporting.
func unknownReadyCondition(node corev1.Node) *corev1.NodeCondition {
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown
	})
	if i < 0 {
		return nil
	}
	return &node.Status.Conditions[i]
}

// nodeDeletedFindings is none where the pod garbage collector tries to delete the Pod
// and is rejected. Where it may be, nothing is advised.
func nodeDeletedFindings(view *cluster.View, o stuck.Object, pod corev1.Pod) []stuck.Finding {
	rejecters := cluster.List[backend.Webhook]{Complete: true}
	if len(o.Finalizers) == 0 {
		rejecters = kit.WebhooksRejectingDelete(view, o)
	}
	tried := kit.PodGCCondition(pod) != nil
	if tried && len(rejecters.Items) > 0 {
		return nil
	}
	f := kit.PodOnLostNodeFinding(pod)
	f.Message = fmt.Sprintf("its node %s no longer exists", pod.Spec.NodeName)
	f.Evidence = []string{"the pod garbage collector of kube-controller-manager deletes such pods within a minute, when it runs"}
	if tried && !rejecters.Complete {
		f.Certainty = stuck.Likely
		f.Evidence = []string{"the pod garbage collector tries to delete it; whether a webhook rejects that could not be checked"}
		return []stuck.Finding{f}
	}
	f.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether kube-controller-manager runs", Command: "kubectl -n kube-system get lease kube-controller-manager -o yaml"}}
	if rejecters.IsKnownEmpty() {
		f.Steps = append(f.Steps, forceDeletePodStep(pod, "if the machine is certainly gone"))
	}
	return []stuck.Finding{f}
}

func nodeUnreachableFinding(view *cluster.View, pod corev1.Pod, node corev1.Node) stuck.Finding {
	ready := unknownReadyCondition(node)
	f := kit.PodOnLostNodeFinding(pod)
	f.Message = fmt.Sprintf("its node %s does not answer", node.Name)
	f.Evidence = []string{fmt.Sprintf("node/%s has been NotReady for %s: %s: %s", node.Name, kit.ElapsedText(view, ready.LastTransitionTime.Time), ready.Reason, ready.Message)}
	if lease := view.Lease(corev1.NamespaceNodeLease, node.Name); lease.Found() && lease.Value.Spec.RenewTime != nil {
		f.Evidence = append(f.Evidence, "its kubelet last renewed its lease "+duration.HumanDuration(lease.Value.Age())+" ago")
	}
	f.Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "bring the node back", Command: stuck.Shellf("kubectl describe node %s", node.Name)},
		{
			Action:      stuck.ActionChange,
			Description: "only if it is certainly switched off, say so, and its pods go",
			Command:     stuck.Shellf("kubectl taint node %s node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", node.Name),
		},
	}
	return f
}

func forceDeletePodStep(pod corev1.Pod, when string) stuck.Step {
	return stuck.Step{Action: stuck.ActionDelete, Description: when, Command: stuck.Kubectlf(pod.Namespace, "delete pod %s --force --grace-period=0", pod.Name)}
}

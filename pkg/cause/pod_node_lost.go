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

// PodNodeLost blocks a Pod whose kubelet does not respond.
var PodNodeLost = kit.Cause{
	ID:    "node-lost",
	Title: "The node of the pod does not exist or does not respond",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period, often without any finalizer, and its node is NotReady with reason NodeStatusUnknown, or does not exist.",
		Why:      "Only the kubelet can confirm that the containers have stopped. Until the kubelet confirms this, the Pod is kept, so that no second copy of the Pod is started.",
		Fix:      "Start the node again. If the machine is certainly shut down, add the taint `node.kubernetes.io/out-of-service` to the Node, or delete the Node. The Pods of the Node are then deleted.",
		IfForced: "The containers may still run. A StatefulSet then starts a second copy of the Pod, and both copies may write to the same volume.",
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
// and is rejected. Where it may be, no step is given.
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
	f.Message = fmt.Sprintf("node/%s does not exist", pod.Spec.NodeName)
	bound := fmt.Sprintf("the pod is bound to node/%s (spec.nodeName), which was not found", pod.Spec.NodeName)
	f.Evidence = []string{bound, "the pod garbage collector of kube-controller-manager deletes such pods within a minute, if it runs"}
	if tried && !rejecters.Complete {
		f.Certainty = stuck.Likely
		f.Evidence = []string{bound, "the pod garbage collector tries to delete the pod", "not checked: whether a webhook rejects the DELETE"}
		return []stuck.Finding{f}
	}
	f.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "wait a minute; if the pod still exists, see whether kube-controller-manager renewed its Lease within seconds", Command: "kubectl -n kube-system get lease kube-controller-manager -o jsonpath='{.spec.renewTime}'"}}
	if rejecters.IsKnownEmpty() {
		f.Steps = append(f.Steps, forceDeletePodStep(pod))
	}
	return []stuck.Finding{f}
}

func nodeUnreachableFinding(view *cluster.View, pod corev1.Pod, node corev1.Node) stuck.Finding {
	ready := unknownReadyCondition(node)
	f := kit.PodOnLostNodeFinding(pod)
	f.Message = fmt.Sprintf("node/%s does not respond", node.Name)
	f.Evidence = []string{fmt.Sprintf("node/%s has been NotReady for %s: %s: %s", node.Name, kit.ElapsedText(view, ready.LastTransitionTime.Time), ready.Reason, ready.Message)}
	if lease := view.Lease(corev1.NamespaceNodeLease, node.Name); lease.Found() && lease.Value.Spec.RenewTime != nil {
		f.Evidence = append(f.Evidence, "the kubelet last renewed lease/"+node.Name+" "+duration.HumanDuration(lease.Value.Age())+" ago")
	}
	f.Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see why the node does not respond, and start it again", Command: stuck.Shellf("kubectl describe node %s", node.Name)},
		{
			Action:      stuck.ActionChange,
			Description: "mark the node as out of service, only if it is shut down for certain: its pods are then deleted",
			Command:     stuck.Shellf("kubectl taint node %s node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", node.Name),
		},
	}
	return f
}

func forceDeletePodStep(pod corev1.Pod) stuck.Step {
	return stuck.Step{Action: stuck.ActionDelete, Description: "delete the pod without its kubelet, only if the machine is shut down for certain", Command: stuck.Kubectlf(pod.Namespace, "delete pod %s --force --grace-period=0", pod.Name)}
}

package cause

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodNetworkPluginMissing is a Pod whose kubelet cannot remove the Pod's network because the
// CNI plugin does not run on the node.
var PodNetworkPluginMissing = kit.Cause{
	ID:    "cni-plugin-missing",
	Title: "The CNI plugin does not run on the node, so the pod's network cannot be removed",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period on a node that is Ready. The Pod has a Warning event `FailedKillPod` with `failed to destroy network for sandbox`. A DaemonSet that installs a CNI plugin (it mounts `/etc/cni/net.d` or `/opt/cni/bin` of the node) has no ready pod on that node.",
		Why:      "The kubelet stops the sandbox of a Pod after its containers, and the container runtime then calls the CNI plugin to remove the network. Many plugins ask a daemon on the same node or the API server, and fail without it: its pod crashes or cannot be scheduled, or its DaemonSet no longer selects the node. The kubelet retries until the call succeeds.",
		Fix:      "Make the DaemonSet run on the node until the pod is deleted. If the plugin was uninstalled, also remove its configuration from `/etc/cni/net.d` of the node.",
		IfForced: "The network of the pod (its IP address, interfaces and rules) remains on the node.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := kit.PodOnReadyNode(view, o)
		if !ok {
			return nil
		}
		failures := kit.NetworkErrors(view, o).Items
		if len(failures) == 0 {
			return nil
		}
		missing := kit.MissingNetworkPlugins(view, o, *pod, failures[0]).Items
		if len(missing) == 0 {
			return nil
		}
		return []stuck.Finding{missingNetworkPluginFinding(view, *pod, failures[0], missing)}
	},
}

func missingNetworkPluginFinding(view *cluster.View, pod corev1.Pod, failure kit.NetworkError, missing []appsv1.DaemonSet) stuck.Finding {
	node := pod.Spec.NodeName
	name := "daemonset/" + missing[0].Name + stuck.InNamespace(missing[0].Namespace)
	f := kit.PodOnLostNodeFinding(pod)
	f.Certainty = stuck.Likely
	f.BlockedBy = stuck.ObjectOf(cluster.DaemonSetType, missing[0].ObjectMeta).Culprit()
	f.Message = fmt.Sprintf("%s has no ready pod on node/%s, so the kubelet cannot remove the network of the pod", name, node)
	if kit.AllContainersStopped(pod) {
		f.OnForce.Description = fmt.Sprintf("the network of the pod remains on node/%s, and its volumes may still be mounted", node)
	}
	f.Evidence = []string{failure.Line}
	for _, ds := range missing {
		addMissingDaemonSet(view, &f, ds, "installs a CNI plugin", node)
	}
	f.Evidence = append(f.Evidence, fmt.Sprintf("node/%s is Ready, and its kubelet has not reported that the pod is down", node))
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("make %s run on node/%s until the pod is deleted", name, node),
	})
	return f
}

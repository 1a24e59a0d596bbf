package capi

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// needsWorkload are the reasons of a Machine's condition Deleting at which
// Cluster API talks to the cluster that the machine is part of
// (kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go).
var needsWorkload = []string{"DrainingNode", "WaitingForVolumeDetach", "DeletingNode"}

// KubeconfigMissing holds a Machine whose cluster cannot be reached any
// more.
var KubeconfigMissing = kit.Cause{
	ID:    "capi-kubeconfig-missing",
	Title: "The Secret with the kubeconfig that Cluster API needs to drain the node does not exist",
	Doc: kit.Doc{
		Symptoms: "A Machine has `status.nodeRef`, and its condition `Deleting` has reason `DrainingNode`, `WaitingForVolumeDetach` or `DeletingNode`. The Secret `<cluster>-kubeconfig` does not exist. The Cluster itself is not being deleted.",
		Why:      "Cluster API drains and deletes the node in the cluster of the machine, and connects to this cluster with the kubeconfig in the Secret. The Secret was deleted by hand or by a GitOps tool, or was not moved with the cluster.",
		Fix:      "Recreate the Secret with a kubeconfig of that cluster under the key `value`, and with the label `cluster.x-k8s.io/cluster-name`. Only the existence of the Secret is checked, not its contents. If that cluster no longer exists, exclude the node from draining.",
		IfForced: "The machine is left behind, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is(group, "Machine") && o.Deleting() && o.HasFinalizer(kit.FinalizerMachine)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		machine, ok := cluster.ReadObject[Object](view, o)
		if !ok || machine.Status.NodeRef.Name == "" || !kit.IsValidName(machine.Spec.ClusterName) {
			return nil
		}
		reason, says := machine.DeletingCondition()
		t, served := view.TypeForKind(schema.GroupKind{Group: group, Kind: "Cluster"})
		if !slices.Contains(needsWorkload, reason) || !served {
			return nil
		}
		owningCluster := cluster.ReadSimilar[Object](view, t, o.Namespace, machine.Spec.ClusterName)
		// Of a cluster that goes as a whole no node is drained.
		if !owningCluster.Found() || owningCluster.Value.DeletionTimestamp != nil {
			return nil
		}
		secret := owningCluster.Value.Name + "-kubeconfig"
		if !view.SecretMetadata(o.Namespace, secret).Absent() {
			return nil
		}
		return []stuck.Finding{unreachableClusterFinding(o, owningCluster.Value.Name, secret, machine.Status.NodeRef.Name, fmt.Sprintf("condition Deleting (%s): %s", reason, says))}
	},
}

func unreachableClusterFinding(o stuck.Object, clusterName, secret, node, says string) stuck.Finding {
	return stuck.Finding{
		Message:   fmt.Sprintf("secret/%s%s (kubeconfig of cluster %s) does not exist", secret, stuck.InNamespace(o.Namespace), clusterName),
		BlockedBy: stuck.Culprit{Kind: "Secret", Namespace: o.Namespace, Name: secret},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerMachine},
		Evidence:  []string{says, fmt.Sprintf("node/%s of cluster %s cannot be drained without that Secret", node, clusterName)},
		Steps: []stuck.Step{
			{
				Action:      stuck.ActionChange,
				Description: "recreate the Secret from a kubeconfig of that cluster (here the file KUBECONFIG), with the label that Cluster API needs",
				Command: stuck.Kubectlf(o.Namespace, "create secret generic %s --type=cluster.x-k8s.io/secret --from-file=value=KUBECONFIG", secret) +
					" && " + stuck.Kubectlf(o.Namespace, "label secret %s %s=%s", secret, labelCluster, clusterName),
			},
			{Action: stuck.ActionChange, Description: "skip the drain, only if that cluster no longer exists", Command: stuck.Kubectlf(o.Namespace, "annotate %s machine.cluster.x-k8s.io/exclude-node-draining= machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach=", o.Ref())},
		},
		OnForce: kit.ExternalCost(o),
	}
}

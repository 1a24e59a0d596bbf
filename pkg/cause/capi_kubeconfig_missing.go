package cause

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// needsWorkload are the reasons of a Machine's condition Deleting at which
// Cluster API talks to the cluster that the machine is part of
// (kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go).
var needsWorkload = []string{"DrainingNode", "WaitingForVolumeDetach", "DeletingNode"}

// CAPIKubeconfigMissing holds a Machine whose cluster cannot be reached any
// more.
var CAPIKubeconfigMissing = Cause{
	ID:    "capi-kubeconfig-missing",
	Title: "Cluster API has no kubeconfig for the cluster whose node it has to drain",
	Doc: Doc{
		Shows: "A Machine has `status.nodeRef`, its condition `Deleting` gives the reason `DrainingNode`, `WaitingForVolumeDetach` or `DeletingNode`, and the Secret `<cluster>-kubeconfig` does not exist. The Cluster itself is not being deleted.",
		Why:   "The node is drained and deleted in the cluster that the machine is part of, and the Secret is how Cluster API gets there. It was deleted by hand, by a GitOps tool, or was left behind when the cluster was moved.",
		Fix:   "Create the Secret again, with a kubeconfig of that cluster under the key value, and with the label `cluster.x-k8s.io/cluster-name`. Only its existence was looked at. If that cluster no longer exists, say that the node need not be drained.",
		Force: "The machine keeps running and costs money, and nothing manages it.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is(groupCAPI, "Machine") && o.Deleting() && o.HasFinalizer(finalizerMachine)
	},
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		self := see.CAPI(o.Type, o.Namespace, o.Name)
		if !self.Found() || self.Value.UID != o.UID || self.Value.Status.NodeRef.Name == "" || !proper(self.Value.Spec.ClusterName) {
			return nil
		}
		reason, says := self.Value.Why()
		t, served := see.Type(schema.GroupKind{Group: groupCAPI, Kind: "Cluster"})
		if !slices.Contains(needsWorkload, reason) || !served {
			return nil
		}
		of := see.CAPI(t, o.Namespace, self.Value.Spec.ClusterName)
		// Of a cluster that goes as a whole no node is drained.
		if !of.Found() || of.Value.DeletionTimestamp != nil {
			return nil
		}
		secret := of.Value.Name + "-kubeconfig"
		if !see.SecretMetadata(o.Namespace, secret).Absent() {
			return nil
		}
		return []stuck.Finding{unreachableWorkload(o, of.Value.Name, secret, self.Value.Status.NodeRef.Name, fmt.Sprintf("its condition Deleting says (%s): %s", reason, says))}
	},
}

func unreachableWorkload(o stuck.Object, of, secret, node, says string) stuck.Finding {
	return stuck.Finding{
		Summary:   fmt.Sprintf("node %s of cluster %s cannot be drained: secret/%s, which holds the kubeconfig of that cluster, does not exist", node, of, secret),
		Culprit:   stuck.Culprit{Kind: "Secret", Namespace: o.Namespace, Name: secret},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{finalizerMachine},
		Evidence:  []string{says, "Cluster API reaches the cluster with that secret alone"},
		Fix: []stuck.Step{
			{What: "create the secret again, from a kubeconfig of that cluster", Command: command(o.Namespace, "create secret generic %s --type=cluster.x-k8s.io/secret --from-file=value=KUBECONFIG", secret)},
			{What: "and label it: Cluster API sees no other", Command: command(o.Namespace, "label secret %s %s=%s", secret, labelCAPICluster, of)},
			{What: "or, only if that cluster no longer exists, say that its node need not be drained", Command: command(o.Namespace, "annotate %s machine.cluster.x-k8s.io/exclude-node-draining= machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach=", target(o))},
		},
		IfForced: outside(o),
	}
}

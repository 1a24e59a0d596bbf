package cluster

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var podDisruptionBudgets = stuck.Type{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Kind: "PodDisruptionBudget", Namespaced: true}

// Machine is what is read of the objects that stand for a machine: the Machine
// of Cluster API and of OpenShift, and the NodeClaim of Karpenter.
type Machine struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		// NodeName is a NodeClaim's, NodeRef a Machine's.
		NodeName string `json:"nodeName"`
		NodeRef  struct {
			Name string `json:"name"`
		} `json:"nodeRef"`
	} `json:"status"`
}

// PodsOnNode reads the Pods of all namespaces that run on a node.
func (v *View) PodsOnNode(node string) List[corev1.Pod] {
	return ReadList[corev1.Pod](v, PodType, Selection{Fields: "spec.nodeName=" + node})
}

// PodDisruptionBudgets reads the PodDisruptionBudgets of a namespace.
func (v *View) PodDisruptionBudgets(namespace string) List[policyv1.PodDisruptionBudget] {
	return ReadList[policyv1.PodDisruptionBudget](v, podDisruptionBudgets, Selection{Namespace: namespace})
}

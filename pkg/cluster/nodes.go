package cluster

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var podDisruptionBudgets = stuck.Type{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Kind: "PodDisruptionBudget", Namespaced: true}

// PodsOnNode reads the Pods of all namespaces that run on a node.
func (v *View) PodsOnNode(node string) List[corev1.Pod] {
	return ReadList[corev1.Pod](v, PodType, Selection{Fields: "spec.nodeName=" + node})
}

// PodDisruptionBudgets reads the PodDisruptionBudgets of a namespace.
func (v *View) PodDisruptionBudgets(namespace string) List[policyv1.PodDisruptionBudget] {
	return ReadList[policyv1.PodDisruptionBudget](v, podDisruptionBudgets, Selection{Namespace: namespace})
}

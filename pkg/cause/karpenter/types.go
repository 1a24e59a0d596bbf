package karpenter

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeClaim is what is read of one of Karpenter's
// (kubernetes-sigs/karpenter pkg/apis/v1/nodeclaim.go).
type NodeClaim struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeClassRef struct {
			Group string `json:"group"`
			Kind  string `json:"kind"`
			Name  string `json:"name"`
		} `json:"nodeClassRef"`
	} `json:"spec"`
	Status struct {
		NodeName   string              `json:"nodeName"`
		Conditions []cluster.Condition `json:"conditions"`
	} `json:"status"`
}

// NodeClaims reads all of Karpenter's.
func ReadNodeClaims(v *cluster.View, t stuck.Type) cluster.List[NodeClaim] {
	return cluster.ReadList[NodeClaim](v, t, cluster.Selection{})
}

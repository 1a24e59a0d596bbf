package karpenter

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// NodeClaim is what is read of one of Karpenter's
// (kubernetes-sigs/karpenter pkg/apis/v1/nodeclaim.go).
type NodeClaim struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		NodeName   string              `json:"nodeName"`
		Conditions []cluster.Condition `json:"conditions"`
	} `json:"status"`
}

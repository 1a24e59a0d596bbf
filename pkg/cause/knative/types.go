package knative

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Subscription is what is read of one of Knative's, and of the Channel that it
// names (knative/eventing pkg/apis/messaging/v1).
type Subscription struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Channel struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Namespace  string `json:"namespace"`
			Name       string `json:"name"`
		} `json:"channel"`
	} `json:"spec"`
}

// Channel is what is read of one of Knative's.
type Channel struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []cluster.Condition `json:"conditions"`
		// Channel is what carries its messages, nil until there is one.
		Channel *struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"channel"`
	} `json:"status"`
}

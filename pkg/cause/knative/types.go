package knative

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
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

// Subscription reads one of Knative's.
func ReadSubscription(v *cluster.View, o stuck.Object) cluster.Answer[Subscription] {
	return cluster.ReadSimilar[Subscription](v, o.Type, o.Namespace, o.Name)
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

// Channel reads one of Knative's.
func ReadChannel(v *cluster.View, t stuck.Type, namespace, name string) cluster.Answer[Channel] {
	return cluster.Read[Channel](v, t, namespace, name)
}

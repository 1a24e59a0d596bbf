package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Events reads the Events of an object.
func (v *View) Events(o stuck.Object) List[corev1.Event] {
	namespace := o.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return ReadList[corev1.Event](v, EventType, Selection{Namespace: namespace, Fields: "involvedObject.uid=" + string(o.UID)})
}

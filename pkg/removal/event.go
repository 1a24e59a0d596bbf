package removal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// event says on an object that its finalizers were removed by force.
func event(s Step, now time.Time) *corev1.Event {
	namespace := s.Object.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	names := strings.Join(slices.Concat(s.Spec, s.Finalizers), ", ")
	at := metav1.NewTime(now)
	return &corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: s.Object.Name + ".", Namespace: namespace},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: s.Object.Type.GVK().GroupVersion().String(), Kind: s.Object.Type.Kind,
			Namespace: s.Object.Namespace, Name: s.Object.Name, UID: s.Object.UID,
		},
		Type: corev1.EventTypeWarning, Reason: "FinalizerRemoved", Count: 1, FirstTimestamp: at, LastTimestamp: at,
		Message: fmt.Sprintf("removed by force: %s (verdict %s)", names, s.Verdict),
		Source:  corev1.EventSource{Component: manager},
	}
}

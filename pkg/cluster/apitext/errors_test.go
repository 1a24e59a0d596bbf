package apitext

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestIsPodProxyForbidden(t *testing.T) {
	byServer := apierrors.NewForbidden(schema.GroupResource{Resource: "pods/proxy"}, "operator-0", errors.New(`User "jane" cannot get resource "pods/proxy" in API group "" in the namespace "ops"`))
	byPod := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonForbidden, Message: "Forbidden"}}
	for err, want := range map[error]bool{byServer: true, byPod: false, errors.New("pods/proxy"): false} {
		if got := IsPodProxyForbidden(err); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}

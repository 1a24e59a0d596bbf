package apitext

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The statuses are those of Kubernetes v1.37.1.
func TestWriteErrors(t *testing.T) {
	status := func(code int32, reason metav1.StatusReason, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
	}
	carts := schema.GroupResource{Group: "shop.example.com", Resource: "carts"}
	for name, test := range map[string]struct {
		err                           error
		outdated, webhook, incomplete bool
	}{
		"nothing":                {nil, false, false, false},
		"no API server":          {errors.New("dialing the webhook: connection refused"), false, false, false},
		"etcd elects a leader":   {status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "Internal error occurred: etcdserver: leader changed"), false, false, false},
		"the object was changed": {apierrors.NewConflict(carts, "a", errors.New("the object has been modified")), true, false, false},
		"a test of the patch failed": {
			// As patch.go makes it, with the answer of the library that applies patches.
			apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", "testing value /metadata/uid failed: test failed", 0, false), true, false, false,
		},
		"the object is not valid": {apierrors.NewInvalid(schema.GroupKind{Group: "shop.example.com", Kind: "Cart"}, "a", nil), false, false, false},
		"an admission webhook cannot be called": {
			status(http.StatusInternalServerError, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "orders.orders.example.com": failed to call webhook: Post "https://order-check.wares-system.svc:443/?timeout=10s": service "order-check" not found`), false, true, false,
		},
		"a conversion webhook cannot be called": {
			status(http.StatusInternalServerError, "", `conversion webhook for desk.example.com/v1, Kind=Ticket failed: Post "https://converter.desk.svc:443/convert?timeout=30s": service "converter" not found`), false, true, false,
		},
		"a response broke off":      {fmt.Errorf("unexpected error when reading response body. Please retry. Original error: %w", io.ErrUnexpectedEOF), false, false, true},
		"an API server that quotes": {status(http.StatusBadRequest, "", "when reading response body"), false, false, false},
		"a webhook denies":          {status(http.StatusForbidden, metav1.StatusReasonForbidden, `admission webhook "a.example.com" denied the request: no`), false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsOutdated(test.err); got != test.outdated {
				t.Errorf("IsOutdated(%v) = %t", test.err, got)
			}
			if got := IsWebhookFailure(test.err); got != test.webhook {
				t.Errorf("IsWebhookFailure(%v) = %t", test.err, got)
			}
			if got := IsIncompleteResponse(test.err); got != test.incomplete {
				t.Errorf("IsIncompleteResponse(%v) = %t", test.err, got)
			}
		})
	}
}

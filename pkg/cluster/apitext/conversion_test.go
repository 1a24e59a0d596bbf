package apitext

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The messages are those of Kubernetes v1.37.1.
func TestConversionFailures(t *testing.T) {
	const key = "/registry/billing.example.com/invoices/billing/no-2"
	corrupt := "StorageError: corrupt object, Code: 7, Key: " + key + ", ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=262: "
	failure := func(text string, keys ...string) error {
		status := metav1.Status{Code: 500, Message: text, Details: &metav1.StatusDetails{}}
		for _, each := range keys {
			status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Field: each})
		}
		return &apierrors.StatusError{ErrStatus: status}
	}
	prefix := "conversion webhook for billing.example.com/v1, Kind=Invoice "
	for name, test := range map[string]struct {
		err  error
		want ConversionFailure
		ok   bool
	}{
		"nothing":       {nil, ConversionFailure{}, false},
		"another error": {errors.New("connection refused"), ConversionFailure{}, false},
		"one object is refused": {
			failure("failed to read one or more invoices.billing.example.com from the storage: "+corrupt+prefix+`failed: spec.total: cannot convert "twelve"`, key, key+"0"),
			ConversionFailure{Refused: true, Version: "v1", Message: `spec.total: cannot convert "twelve"`, Keys: []string{key, key + "0"}},
			true,
		},
		"no service": {
			failure(corrupt+prefix+`failed: Post "https://c.billing.svc:443/?timeout=30s": service "c" not found`, key),
			ConversionFailure{Version: "v1", Message: `Post "https://c.billing.svc:443/?timeout=30s": service "c" not found`, Keys: []string{key}},
			true,
		},
		"something else answers": {
			failure(prefix + "failed: the server could not find the requested resource"),
			ConversionFailure{Version: "v1", Message: "the server could not find the requested resource"},
			true,
		},
		"it answers nonsense": {
			failure(prefix + "returned 0 objects, expected 1"),
			ConversionFailure{Refused: true, Version: "v1", Message: "returned 0 objects, expected 1"},
			true,
		},
	} {
		got, ok := ParseConversionFailure(test.err)
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%s: %v (-want +got):\n%s", name, ok, diff)
		}
	}
}

package apitext

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The messages are those of Kubernetes v1.37.1, as the stories hold them, and
// some that are not to be taken for what they quote.
func TestRefusals(t *testing.T) {
	refusedWith := func(reason metav1.StatusReason, message string) *apierrors.StatusError {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Reason: reason, Message: message}}
	}
	invalid := refusedWith(metav1.StatusReasonInvalid, `Cluster.hosting.example.com "berlin" is invalid: spec: Required value`)
	field := metav1.StatusCause{Type: metav1.CauseTypeFieldValueRequired, Message: "Required value", Field: "spec"}
	invalid.ErrStatus.Details = &metav1.StatusDetails{Kind: "Cluster", Causes: []metav1.StatusCause{field}}
	changed := refusedWith(metav1.StatusReasonInvalid, "the server rejected our request due to an error in our request")
	changed.ErrStatus.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: "testing value /metadata/uid failed: test failed"}}}

	for name, test := range map[string]struct {
		err  error
		want *Rejection
	}{
		"nothing": {nil, nil},
		"an unreachable webhook": {
			refusedWith(metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://x.y.svc:443/?timeout=10s": service "x" not found`),
			&Rejection{By: WebhookFailed, Name: "a.example.com", Message: `Post "https://x.y.svc:443/?timeout=10s": service "x" not found`},
		},
		"a webhook that says nothing": {
			refusedWith(metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "a.example.com"; no further details available`),
			&Rejection{By: WebhookFailed, Name: "a.example.com", Message: "no further details available"},
		},
		"a denial": {
			refusedWith("", "admission webhook \"a.example.com\" denied the request: no,\nnever"),
			&Rejection{By: WebhookDenied, Name: "a.example.com", Message: "no, never"},
		},
		"a denial that speaks of another webhook": {
			refusedWith("", `admission webhook "a.example.com" denied the request: failed calling webhook "b"`),
			&Rejection{By: WebhookDenied, Name: "a.example.com", Message: `failed calling webhook "b"`},
		},
		"a denial without words": {
			refusedWith("", `admission webhook "a.example.com" denied the request without explanation`),
			&Rejection{By: WebhookDenied, Name: "a.example.com", Message: "no reason given"},
		},
		"no dry runs": {
			refusedWith(metav1.StatusReasonBadRequest, `admission webhook "a.example.com" does not support dry run`),
			&Rejection{By: WebhookNoDryRun, Name: "a.example.com", Message: "does not support dry run"},
		},
		"a policy": {
			refusedWith(metav1.StatusReasonInvalid, `vehicles.fleet.example.com "truck-7" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`),
			&Rejection{By: PolicyDenied, Name: "p", Binding: "b", PolicyKind: ValidatingPolicy, Message: "no", Resource: schema.GroupResource{Group: "fleet.example.com", Resource: "vehicles"}},
		},
		"a mutating policy": {
			refusedWith(metav1.StatusReasonInvalid, `policy 'p' with binding 'b' denied request: expression 'object.metadata.labels["a"]' resulted in error: no such key: labels`),
			&Rejection{By: PolicyDenied, Name: "p", Binding: "b", PolicyKind: MutatingPolicy, Message: `expression 'object.metadata.labels["a"]' resulted in error: no such key: labels`},
		},
		"a mutating policy without a binding": {
			refusedWith(metav1.StatusReasonInvalid, `policy "p" denied request: failed to configure policy: no such kind`),
			&Rejection{By: PolicyDenied, Name: "p", PolicyKind: MutatingPolicy, Message: "failed to configure policy: no such kind"},
		},
		"no longer valid":    {invalid, &Rejection{By: ValidationFailed, Message: invalid.ErrStatus.Message, Fields: []metav1.StatusCause{field}}},
		"changed meanwhile":  {changed, nil},
		"forbidden":          {refusedWith(metav1.StatusReasonForbidden, `pods "a" is forbidden: User "u" cannot patch resource "pods"`), nil},
		"no API server":      {errors.New("connection refused"), nil},
		"words in the wrong": {refusedWith("", `something quotes: admission webhook "a" denied the request: no`), nil},
	} {
		if diff := cmp.Diff(test.want, RejectionFromError(test.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWithoutObject(t *testing.T) {
	for text, want := range map[string]string{
		`pods "a" is forbidden: exceeded quota: q`:                "exceeded quota: q",
		`Cart.shop.example.com "a" is invalid: spec: Required`:    `Cart.shop.example.com "a" is invalid: spec: Required`,
		`carts.shop.example.com "a b" is invalid: spec: too long`: "spec: too long",
		`etcdserver: request timed out`:                           "etcdserver: request timed out",
		`quoted: pods "a" is forbidden: no`:                       `quoted: pods "a" is forbidden: no`,
	} {
		if got := WithoutObject(text); got != want {
			t.Errorf("WithoutObject(%q) = %q, want %q", text, got, want)
		}
	}
}

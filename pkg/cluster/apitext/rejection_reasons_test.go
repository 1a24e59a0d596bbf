package apitext

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCalledURL(t *testing.T) {
	for message, want := range map[string]string{
		`Post "https://order-check.wares.svc:443/check?timeout=10s": service "order-check" not found`: "https://order-check.wares.svc:443/check?timeout=10s",
		`Post "https://10.0.0.1/": dial tcp 10.0.0.1:443: connect: connection refused`:                "https://10.0.0.1/",
		"no further details available":            "",
		`a reason of its own: POST "https://x/"`:  "",
		`Post "https://cut-off.example.com/check`: "",
	} {
		if got, ok := (&Rejection{Message: message}).CalledURL(); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", message, got, ok)
		}
	}
}

func TestRejectionReasons(t *testing.T) {
	for message, want := range map[string]struct{ lacksParams, misconfigured bool }{
		"no params found for policy binding with `Deny` parameterNotFoundAction": {lacksParams: true},
		"failed to configure policy: no such CRD":                                {misconfigured: true},
		"contracts are kept for ten years":                                       {},
		"this does not say that it failed to configure anything":                 {},
	} {
		r := &Rejection{Binding: "keep", Message: message}
		if r.LacksParams() != want.lacksParams || r.IsMisconfigured() != want.misconfigured {
			t.Errorf("%s: lacks params %t, misconfigured %t", message, r.LacksParams(), r.IsMisconfigured())
		}
		for _, binding := range []string{"", "keep.static.k8s.io"} {
			if r.Binding = binding; r.LacksParams() {
				t.Errorf("%s of binding %q lacks params", message, binding)
			}
		}
	}
}

func TestIsImmutableField(t *testing.T) {
	for _, test := range []struct {
		field metav1.StatusCause
		want  bool
	}{
		{metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Message: `Invalid value: "x": field is immutable`}, true},
		{metav1.StatusCause{Type: metav1.CauseTypeForbidden, Message: "Forbidden: updates to statefulset spec are forbidden"}, true},
		{metav1.StatusCause{Type: metav1.CauseTypeFieldValueRequired, Message: "Required value"}, false},
	} {
		if got := IsImmutableField(test.field); got != test.want {
			t.Errorf("%v: %t", test.field, got)
		}
	}
}

package health

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A Certificate is at fault when it is late, not when it is short-lived.
func TestServingCertificates(t *testing.T) {
	at := func(in time.Duration) string { return now.Add(in).Format(time.RFC3339) }
	ready := func(status string, since time.Duration) []any {
		return []any{map[string]any{"type": "Ready", "status": status, "reason": "Failed", "message": "no issuer", "lastTransitionTime": at(-since)}}
	}
	for name, test := range map[string]struct {
		status     map[string]any
		code       int32
		want       string
		incomplete bool
	}{
		"fresh":            {status: map[string]any{"notAfter": at(1000 * time.Hour), "renewalTime": at(500 * time.Hour), "conditions": ready("True", time.Hour)}},
		"short-lived":      {status: map[string]any{"notAfter": at(2 * time.Hour), "renewalTime": at(time.Hour)}},
		"renewed just now": {status: map[string]any{"notAfter": at(2 * time.Hour), "renewalTime": at(-time.Minute)}},
		"late":             {status: map[string]any{"notAfter": at(72 * time.Hour), "renewalTime": at(-48 * time.Hour)}, want: "expires in 3d and was not renewed"},
		"expired":          {status: map[string]any{"notAfter": at(-72 * time.Hour)}, want: "expired 3d ago"},
		"being issued":     {status: map[string]any{"conditions": ready("False", time.Minute)}},
		"not issued":       {status: map[string]any{"conditions": ready("False", 5*time.Hour)}, want: "is not ready"},
		"absent":           {code: http.StatusNotFound, want: "does not exist"},
		"hidden":           {code: http.StatusForbidden, incomplete: true},
	} {
		t.Run(name, func(t *testing.T) {
			answer := recording.Answer{Question: "get certificates.cert-manager.io/serving in ops", Objects: []map[string]any{{"metadata": map[string]any{"name": "serving"}, "status": test.status}}}
			switch test.code {
			case http.StatusNotFound:
				answer.Error = &metav1.Status{Code: test.code, Reason: metav1.StatusReasonNotFound}
			case http.StatusForbidden:
				answer.Error = &metav1.Status{Code: test.code, Reason: metav1.StatusReasonForbidden}
			}
			types := []stuck.Type{{Group: "cert-manager.io", Version: "v1", Resource: "certificates", Kind: "Certificate", Namespaced: true, Listable: true}}
			source := (&recording.Recording{Time: now, Version: "v1.37.1", Answers: []recording.Answer{answer}}).Source(types)
			c := &checker{view: cluster.NewView(t.Context(), source, types, nil)}
			problems, incomplete := c.certificateProblems([]certificateUser{{"crd/a", ""}, {"crd/b", "ops/serving"}, {"crd/c", "ops/serving"}})
			if incomplete != test.incomplete || len(problems) > 0 != (test.want != "") {
				t.Fatalf("incomplete: %t, problems %+v", incomplete, problems)
			}
			if want := "certificate/serving -n ops, whose CA is in the caBundle of crd/b, crd/c, " + test.want; len(problems) > 0 && !strings.Contains(problems[0].Message, want) {
				t.Errorf("it says %q, not %q", problems[0].Message, want)
			}
		})
	}
}

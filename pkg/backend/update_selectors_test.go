package backend_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	admissionPath = "/apis/admissionregistration.k8s.io/v1/"
	updateWidgets = `"rules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["UPDATE"],"resources":["widgets"]}]`
	updateGadgets = `"rules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["UPDATE"],"resources":["gadgets"]}]`
	// unbound is a policy that no binding puts in force.
	unbound = `{"metadata":{"name":"p"},"spec":{"matchConstraints":{"namespaceSelector":{"matchLabels":{"a":"b"}},"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]}}}`
)

// What may be shown an update is a selector, and what cannot be read is a gap.
func TestUpdateSelectors(t *testing.T) {
	hook := func(rules string) string {
		return `{"metadata":{"name":"h"},"webhooks":[{"name":"h.example.com","namespaceSelector":{"matchLabels":{"a":"b"}},` + rules + `}]}`
	}
	tests := map[string]struct {
		webhook, policy string
		hidden          string
		want, gaps      int
	}{
		"nothing is there":             {},
		"a webhook for the type":       {webhook: hook(updateWidgets), want: 1},
		"a webhook for another":        {webhook: hook(updateGadgets)},
		"a policy":                     {policy: unbound, want: 1},
		"both":                         {webhook: hook(updateWidgets), policy: unbound, want: 2},
		"webhooks cannot be listed":    {hidden: "mutatingwebhookconfigurations", gaps: 1},
		"policies cannot be listed":    {webhook: hook(updateWidgets), hidden: "validatingadmissionpolicies", want: 1, gaps: 1},
		"mutating policies are hidden": {hidden: "mutatingadmissionpolicies", gaps: 1},
	}
	policies := []stuck.Type{
		{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies", Kind: "ValidatingAdmissionPolicy"},
		{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicies", Kind: "MutatingAdmissionPolicy"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			script := fakeapi.Responses{}
			for resource, item := range map[string]string{
				"validatingwebhookconfigurations": test.webhook, "mutatingwebhookconfigurations": "",
				"validatingadmissionpolicies": test.policy, "mutatingadmissionpolicies": "",
			} {
				script[admissionPath+resource] = fakeapi.Respond(`{"apiVersion":"v1","kind":"List","items":[` + item + `]}`)
			}
			if test.hidden != "" {
				script[admissionPath+test.hidden] = fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)
			}
			view := fakeapi.Start(t, script).View(t, nil, policies...)
			selectors := backend.UpdateSelectors(view, fakeapi.Widget)
			if len(selectors) != test.want || len(view.Gaps()) != test.gaps {
				t.Errorf("selectors %v, gaps %v", selectors, view.Gaps())
			}
			for _, s := range selectors {
				if s == nil || s.MatchLabels["a"] != "b" {
					t.Errorf("the selector is %v", s)
				}
			}
		})
	}
}

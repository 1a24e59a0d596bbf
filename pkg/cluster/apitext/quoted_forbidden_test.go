package apitext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

func TestQuotedForbidden(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want apitext.Forbidden
	}{
		"in a namespace": {
			`Ready=False: secrets "db" is forbidden: User "system:serviceaccount:ops:db-operator" cannot delete resource "secrets" in API group "" in the namespace "app"`,
			apitext.Forbidden{AccountNamespace: "ops", Account: "db-operator", Verb: "delete", Resource: "secrets", Namespace: "app"},
		},
		"at the cluster scope, of a subresource, escaped": {
			`failed: \"x\": User \"system:serviceaccount:ops:db-operator\" cannot update resource \"deployments/scale\" in API group \"apps\" at the cluster scope`,
			apitext.Forbidden{AccountNamespace: "ops", Account: "db-operator", Verb: "update", Resource: "deployments.apps", Subresource: "scale"},
		},
		"a person": {text: `User "jane" cannot delete resource "secrets" in API group "" in the namespace "app"`},
		"a shell":  {text: `User "system:serviceaccount:ops:$(reboot)" cannot delete resource "secrets" in API group "" in the namespace "app"`},
		"a path":   {text: `User "system:serviceaccount:ops:db" cannot get path "/healthz"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := apitext.QuotedForbidden(test.text)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != (test.want != apitext.Forbidden{}) {
				t.Errorf("found %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

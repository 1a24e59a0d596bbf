package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// A permission is granted where it is missing, and is asked for in the words that kubectl takes.
func TestGrantSteps(t *testing.T) {
	view := cluster.NewView(t.Context(), fakeapi.Start(t, fakeapi.Responses{}).Server, nil, nil)
	for name, test := range map[string]struct {
		forbidden apitext.Forbidden
		want      []string
	}{
		"in a namespace": {
			apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "delete", Resource: "secrets", Namespace: "app"},
			[]string{
				"kubectl -n app auth can-i delete secrets --as=system:serviceaccount:ops:db",
				"kubectl create clusterrole db-may-delete-secrets --verb=delete --resource=secrets && kubectl -n app create rolebinding db-may-delete-secrets --clusterrole=db-may-delete-secrets --serviceaccount=ops:db",
			},
		},
		"a subresource at the cluster scope": {
			apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "update", Resource: "deployments.apps", Subresource: "scale"},
			[]string{
				"kubectl auth can-i update deployments.apps --as=system:serviceaccount:ops:db --subresource=scale",
				"kubectl create clusterrole db-may-update-deployments-apps-scale --verb=update --resource=deployments.apps/scale && kubectl create clusterrolebinding db-may-update-deployments-apps-scale --clusterrole=db-may-update-deployments-apps-scale --serviceaccount=ops:db",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, step := range grantSteps(view, test.forbidden) {
				got = append(got, step.Command)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

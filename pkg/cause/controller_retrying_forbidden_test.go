package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// A permission is granted where it is missing, and is asked for in the words that kubectl takes.
func TestGrantSteps(t *testing.T) {
	for name, test := range map[string]struct {
		forbidden apitext.Forbidden
		deleting  bool
		want      []string
	}{
		"in a namespace": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "delete", Resource: "secrets", Namespace: "app"},
			want: []string{
				"kubectl -n app auth can-i delete secrets --as=system:serviceaccount:ops:db",
				"kubectl create clusterrole db-may-delete-secrets --verb=delete --resource=secrets && kubectl -n app create rolebinding db-may-delete-secrets --clusterrole=db-may-delete-secrets --serviceaccount=ops:db",
			},
		},
		"a subresource at the cluster scope": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "update", Resource: "deployments.apps", Subresource: "scale"},
			want: []string{
				"kubectl auth can-i update deployments.apps --as=system:serviceaccount:ops:db --subresource=scale",
				"kubectl create clusterrole db-may-update-deployments-apps-scale --verb=update --resource=deployments.apps/scale && kubectl create clusterrolebinding db-may-update-deployments-apps-scale --clusterrole=db-may-update-deployments-apps-scale --serviceaccount=ops:db",
			},
		},
		"a permission by which others can be had": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "create", Resource: "clusterrolebindings.rbac.authorization.k8s.io"},
			want:      []string{"kubectl auth can-i create clusterrolebindings.rbac.authorization.k8s.io --as=system:serviceaccount:ops:db"},
		},
		"a verb by which others can be had": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "impersonate", Resource: "users"},
			want:      []string{"kubectl auth can-i impersonate users --as=system:serviceaccount:ops:db"},
		},
		"in a namespace that is being deleted": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "delete", Resource: "secrets", Namespace: "app"}, deleting: true,
			want: []string{
				"kubectl -n app auth can-i delete secrets --as=system:serviceaccount:ops:db",
				"kubectl create clusterrole db-may-delete-secrets --verb=delete --resource=secrets && kubectl create clusterrolebinding db-may-delete-secrets --clusterrole=db-may-delete-secrets --serviceaccount=ops:db",
			},
		},
		"all Secrets": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "list", Resource: "secrets"},
			want:      []string{"kubectl auth can-i list secrets --as=system:serviceaccount:ops:db"},
		},
		"a command in a pod": {
			forbidden: apitext.Forbidden{AccountNamespace: "ops", Account: "db", Verb: "create", Resource: "pods", Subresource: "exec", Namespace: "app"},
			want:      []string{"kubectl -n app auth can-i create pods --as=system:serviceaccount:ops:db --subresource=exec"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, step := range grantSteps(test.forbidden, test.deleting) {
				got = append(got, step.Command)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package controller_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// withoutPermissions is a Deployment whose account may do nothing.
func withoutPermissions(namespace, name, labels string) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: %s, name: %s, uid: uid-of-%s, labels: {%s}}\n"+
		"spec: {selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {serviceAccountName: x, containers: [{name: manager}]}}}\nstatus: {readyReplicas: 1}", namespace, name, name, labels)
}

// A controller that lost its permissions is pointed at by no clue that rests on them: what is called like it, or a role that
// is bound no more, casts doubt.
func TestLookalikes(t *testing.T) {
	const finalizer, other = "acme.corp.io/finalizer", "acme.corp.io/network"
	anvil := stuck.Type{Group: "acme.corp.io", Version: "v1", Resource: "anvils", Kind: "Anvil"}
	o, manifest := stuckAt(anvil, finalizer, "manager")
	o.Finalizers = append(o.Finalizers, other)
	manifest = strings.Replace(manifest, "managedFields: [", `managedFields: [{manager: forge-operator, operation: Update, time: "2026-03-01T01:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"`+other+`"': {}}}}}, `, 1)
	role := func(resources string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: anvil-role}\nrules: [{apiGroups: [acme.corp.io], resources: [" + resources + "], verbs: [get, list, watch, update]}]"
	}
	for name, test := range map[string]struct{ more, want string }{
		"called like the API group":       {withoutPermissions("ops", "acme-controller-manager", ""), "deployment/acme-controller-manager -n ops (its name or namespace has the word acme of anvils.acme.corp.io)"},
		"called like the type":            {withoutPermissions("ops", "anvil-operator", ""), "deployment/anvil-operator -n ops (its name or namespace has the word anvil of anvils.acme.corp.io)"},
		"in a namespace called like it":   {withoutPermissions("acme-system", "controller-manager", ""), "deployment/controller-manager -n acme-system (its name or namespace has the word acme of anvils.acme.corp.io)"},
		"it set a finalizer like this":    {withoutPermissions("ops", "forge-operator", ""), "deployment/forge-operator -n ops (it set acme.corp.io/network, which has the same domain)"},
		"a role that is not bound":        {role("anvils/finalizers"), "what clusterrole/anvil-role is for (it allows writing the finalizers of anvils.acme.corp.io, and no clusterrolebinding refers to it)"},
		"a role for people":               {role("anvils"), ""},
		"an application of such a name":   {withoutPermissions("ops", "anvil-shop", ""), ""},
		"another controller of the owner": {withoutPermissions("ops", "corp-billing-controller", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			view := cluster.NewView(t.Context(), newFakeSource(t, manifest+"---\n"+test.more), []stuck.Type{anvil}, nil)
			found := controller.Find(view, known(t), o, finalizer)
			var got []string
			for _, actor := range found.OtherActors {
				if !actor.IsNamesake {
					t.Errorf("%s casts no doubt", actor.Description)
				}
				got = append(got, actor.Description)
			}
			if len(found.Candidates) > 0 || strings.Join(got, ", ") != test.want {
				t.Errorf("candidates %v, lookalikes %q, want %q", found.Candidates, got, test.want)
			}
		})
	}
}

// A Helm release puts its own name before the usual one, which the recommended label has.
func TestComponentsThatAReleaseRenamed(t *testing.T) {
	const finalizer = "postgres-operator.acid.zalan.do"
	database := stuck.Type{Group: "acid.zalan.do", Version: "v1", Resource: "postgresqls", Kind: "postgresql"}
	o, manifest := stuckAt(database, finalizer, "postgres-operator")
	for name, test := range map[string]struct {
		more string
		want []string
	}{
		"a release":                      {withoutPermissions("pg", "acid-postgres-operator", "app.kubernetes.io/name: postgres-operator"), []string{"deployment/acid-postgres-operator"}},
		"another part of the release":    {withoutPermissions("pg", "acid-postgres-operator-ui", "app.kubernetes.io/name: postgres-operator"), nil},
		"another program of such a name": {withoutPermissions("pg", "crunchy-postgres-operator", "app.kubernetes.io/name: pgo"), nil},
	} {
		view := cluster.NewView(t.Context(), newFakeSource(t, manifest+"---\n"+test.more), []stuck.Type{database}, nil)
		var got []string
		for _, c := range controller.Find(view, known(t), o, finalizer).Candidates {
			got = append(got, c.Ref())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: candidates %v, want %v", name, got, test.want)
		}
	}
}

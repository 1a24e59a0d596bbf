package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestGrant(t *testing.T) {
	right := func(verb, group, resource string) *stuck.Permission {
		return &stuck.Permission{Verb: verb, Group: group, Resource: resource}
	}
	for name, test := range map[string]struct {
		gaps []stuck.Gap
		want []string
	}{
		"nothing was forbidden": {[]stuck.Gap{{Source: "widgets", Error: "no answer in time"}}, nil},
		"secrets are never asked for": {
			[]stuck.Gap{{Source: "secrets", MissingPermission: right("list", "", "secrets")}}, nil,
		},
		"each resource stands once, with its group, beside the paths": {
			[]stuck.Gap{
				{Source: "nodes/a", MissingPermission: right("get", "", "nodes")},
				{Source: "nodes/b", MissingPermission: right("get", "", "nodes")},
				{Source: "leases", MissingPermission: right("list", "coordination.k8s.io", "leases")},
				{Source: "/metrics", MissingPermission: &stuck.Permission{Verb: "get", Path: "/metrics"}},
			},
			[]string{
				"an administrator allows it by creating, and binding to you",
				"  kubectl create clusterrole finalizers-reader --verb=get,list --resource=leases.coordination.k8s.io,nodes --dry-run=client -o yaml | kubectl auth reconcile -f -",
				"  kubectl create clusterrole finalizers-metrics-reader --verb=get --non-resource-url=/metrics --dry-run=client -o yaml | kubectl auth reconcile -f -",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, rbacLines(test.gaps)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The roles are bound with commands that have no other blank to fill in than the user.
func TestGrantCommands(t *testing.T) {
	want := []string{
		"kubectl create clusterrole finalizers-reader --verb=get,list --resource=nodes --dry-run=client -o yaml | kubectl auth reconcile -f -",
		"kubectl create clusterrolebinding finalizers-reader --clusterrole=finalizers-reader --user=USER --dry-run=client -o yaml | kubectl auth reconcile -f -",
		"kubectl create clusterrole finalizers-metrics-reader --verb=get --non-resource-url=/metrics --dry-run=client -o yaml | kubectl auth reconcile -f -",
		"kubectl create clusterrolebinding finalizers-metrics-reader --clusterrole=finalizers-metrics-reader --user=USER --dry-run=client -o yaml | kubectl auth reconcile -f -",
	}
	got := grantCommands([]stuck.Gap{
		{Source: "nodes", MissingPermission: &stuck.Permission{Verb: "list", Resource: "nodes"}},
		{Source: "secrets", MissingPermission: &stuck.Permission{Verb: "list", Resource: "secrets"}},
		{Source: "/metrics", MissingPermission: &stuck.Permission{Verb: "get", Path: "/metrics"}},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

package controller_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A workload that is merely called like the controller is not taken for it. Knative and MetalLB both have a Deployment "controller".
func TestANameThatManyUse(t *testing.T) {
	route := stuck.Type{Group: "serving.knative.dev", Version: "v1", Resource: "routes", Kind: "Route"}
	o, manifest := stuckAt(route, "routes.serving.knative.dev", "controller")
	for name, test := range map[string]struct {
		more string
		want []string
	}{
		"MetalLB is there, and Knative is not": {controllerManifest("metallb-system", "controller", "speaker", "metallb.io"), nil},
		"Knative is in an unusual namespace":   {controllerManifest("serverless", "controller", "controller", "serving.knative.dev"), []string{"deployment/controller"}},
	} {
		t.Run(name, func(t *testing.T) {
			view := cluster.NewView(t.Context(), newFakeSource(t, manifest+"---\n"+test.more), []stuck.Type{route}, nil)
			found := controller.Find(view, known(t), o, "routes.serving.knative.dev")
			var got []string
			for _, c := range found.Candidates {
				got = append(got, c.Ref())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("candidates: %v, want %v", got, test.want)
			}
			isMissing := found.NotInstalled != nil && found.NotInstalled.Project == "Knative Serving"
			if isMissing != (test.want == nil) {
				t.Errorf("not installed: %v", found.NotInstalledText())
			}
			// It may be Knative under other labels, without its permissions.
			if isNamesake := len(found.OtherActors) == 1 && found.OtherActors[0].IsNamesake; isNamesake != isMissing {
				t.Errorf("other actors: %v", found.OtherActors)
			}
			if text := found.NotInstalledText(); isMissing && text != "Knative Serving seems not to be installed: no workload is recognized as its own" {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// The controller of one tenant is not that of another's objects, though both have the same name.
func TestControllersOfTenants(t *testing.T) {
	const object = `
apiVersion: example.com/v1
kind: Widget
metadata:
  namespace: team-b
  name: w1
  uid: uid-of-w1
  managedFields: [{manager: app-operator, operation: Update, time: "2026-03-01T01:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"example.com/cleanup"': {}}}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: team-a, name: app-operator, uid: uid-of-operator}
spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {serviceAccountName: app-operator, containers: [{name: c, env: ENV}]}}}
status: {readyReplicas: 1}
---
`
	const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: team-a, name: app-operator}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: team-a, name: app-operator}
roleRef: {kind: Role, name: app-operator}
subjects: [{kind: ServiceAccount, namespace: team-a, name: app-operator}]
`
	for name, test := range map[string]struct {
		env, rights string
		want        bool
	}{
		"it may write the type in its own namespace": {env: "[]", rights: rights},
		"it is told to watch its own namespace":      {env: "[{name: WATCH_NAMESPACE, value: team-a}]", want: true},
		"it may have lost its rights":                {env: "[]", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			view := newFakeSource(t, strings.ReplaceAll(object, "ENV", test.env)+test.rights).view()
			o := w1
			o.Namespace = "team-b"
			found := controller.Find(view, known(t), o, finalizer)
			if got := len(found.Candidates) > 0; got != test.want {
				t.Errorf("candidates: %v", found.Candidates)
			}
		})
	}
}

// A Lease that an earlier installation left behind is not the lock of a workload that acted later, or elects no leader.
func TestLeftoverLease(t *testing.T) {
	lease := strings.ReplaceAll(`
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: lock}
spec: {holderIdentity: widget-operator-7d9f8b6c5d-x2x2x_1, leaseDurationSeconds: 15, renewTime: "RENEWED"}
---
`, "RENEWED", "2026-03-01T02:00:00.000000Z")
	for name, test := range map[string]struct {
		wrote, command string
		want           int
	}{
		"it acted last before":           {wrote: "2026-03-01T01:59:00Z", command: "[/widget-operator]", want: 1},
		"it acted long after":            {wrote: "2026-03-01T02:30:00Z", command: "[/widget-operator]"},
		"it elects no leader":            {wrote: "2026-03-01T01:59:00Z", command: "[/widget-operator, --leader-elect=false]"},
		"it keeps the lock when it ends": {wrote: "2026-03-01T01:59:00Z", command: "[/widget-operator, --leader-election-release-on-cancel=false]", want: 1},
		"it elects one, so it is":        {wrote: "2026-03-01T01:59:00Z", command: "[/widget-operator, --leader-elect=true]", want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(healthy, "containers: [{name: manager}]", "containers: [{name: manager, command: "+test.command+"}]", 1)
			text = strings.Replace(text, "metadata: {namespace: shop, name: w1, uid: uid-of-w1}", `metadata:
  namespace: shop
  name: w1
  uid: uid-of-w1
  managedFields: [{manager: widget-operator, operation: Update, time: "`+test.wrote+`", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"example.com/cleanup"': {}}}}}]`, 1)
			found, view := newFakeSource(t, text+lease).find()
			if len(found.Candidates) != 1 {
				t.Fatalf("candidates: %v", found.Document(view))
			}
			lost, all := controller.ExpiredLeaderships(view, found, found.Candidates[0])
			if len(lost) != test.want || !all {
				t.Errorf("lost: %v, all read: %t", lost, all)
			}
		})
	}
}

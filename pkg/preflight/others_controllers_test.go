package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// operatorScene returns a Deployment that a ClusterRole of its name allows to write widgets, by a binding of its own.
func operatorScene(name, namespace, resources, env string) string {
	return strings.NewReplacer("NAME", name, "SPACE", namespace, "RESOURCES", resources, "ENV", env).Replace(`
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: SPACE, uid: d-NAME-SPACE}
spec: {replicas: 1, template: {spec: {serviceAccountName: NAME, containers: [{name: manager, image: i, command: [/manager], env: [ENV]}]}}}
status: {readyReplicas: 1}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME-SPACE, uid: b-NAME-SPACE}
roleRef: {kind: ClusterRole, name: NAME}
subjects: [{kind: ServiceAccount, name: NAME, namespace: SPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME, uid: r-NAME-SPACE}
rules: [{apiGroups: [metering.example.org], resources: [RESOURCES], verbs: [get, list, watch, update, patch]}]`)
}

// heldMeter is an object whose finalizer a field manager has set.
func heldMeter(name, namespace, manager string) string {
	return strings.NewReplacer("NAME", name, "SPACE", namespace, "MANAGER", manager).Replace(`
---
apiVersion: metering.example.org/v1
kind: Meter
metadata:
  {name: NAME, namespace: SPACE, uid: m-NAME, finalizers: [metering.example.org/cleanup], managedFields: [{manager: MANAGER, operation: Update,
    apiVersion: metering.example.org/v1, fieldsType: FieldsV1, time: "2026-02-01T00:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {".": {}, "v:\"metering.example.org/cleanup\"": {}}}}}]}`)
}

// A deleted workload is the controller of objects in the namespaces that it works in. Where another one may be, or one object
// of several is examined, that is a gap.
func TestLostControllers(t *testing.T) {
	const lost = ", the controller of metering.example.org/cleanup, is deleted"
	both := "meters, meters/finalizers"
	env := func(namespace string) string { return "{name: WATCH_NAMESPACE, value: " + namespace + "}" }
	tenants := operatorScene("op", "t1", both, env("x1")) + operatorScene("op", "t2", both, env("x2")) + heldMeter("a", "x1", "manager") + heldMeter("b", "x2", "manager")
	for _, test := range []struct {
		scene, target string
		outcome       preflight.Outcome
		want          []string
	}{
		{tenants, "deployment/op -n t1", preflight.OthersGetStuck, []string{"[1 meter.metering.example.org] [x1] deployment/op -n t1" + lost}},
		{operatorScene("op", "t1", both, "") + operatorScene("dash", "t2", "meters", "") + heldMeter("a", "x1", "manager"), "deployment/op -n t1", preflight.Unknown, nil},
		{operatorScene("contour", "t1", "meters", "") + operatorScene("istio", "t2", "meters", "") + heldMeter("a", "x1", "contour") + heldMeter("b", "x1", "istio"), "deployment/istio -n t2", preflight.Unknown, nil},
	} {
		deployments := cluster.DeploymentType
		deployments.Listable = true
		r := newFakeSource(t, strings.TrimPrefix(test.scene, "\n---\n")).predict(t, append(servedTypes(), deployments), test.target)
		if r.Outcome != test.outcome || !slices.Equal(lines(r.Others), test.want) {
			t.Errorf("%s: %s, %q, %v", test.target, r.Outcome, lines(r.Others), r.Gaps)
		}
	}
}

// The objects of all types that lose one controller are listed with one command.
func TestListCommandOfOthers(t *testing.T) {
	gauges := stuck.Type{Group: "metering.example.org", Version: "v1", Resource: "gauges", Kind: "Gauge", Namespaced: true, Listable: true}
	deployments := cluster.DeploymentType
	deployments.Listable = true
	scene := operatorScene("op", "t1", "meters, meters/finalizers, gauges, gauges/finalizers", "") + heldMeter("a", "x1", "op") + strings.ReplaceAll(heldMeter("b", "x1", "op"), "kind: Meter", "kind: Gauge")
	r := newFakeSource(t, strings.TrimPrefix(scene, "\n---\n")).predict(t, append(servedTypes(), deployments, gauges), "deployment/op -n t1")
	const want = "kubectl get gauges.metering.example.org,meters.metering.example.org -A"
	if len(r.Others) != 1 || r.Others[0].Steps[0].Command != want {
		t.Errorf("%+v, %v", r.Others, r.Gaps)
	}
}

// A controller is looked for in all namespaces, once for the objects of a type and a namespace.
func TestControllerNamespacesOf(t *testing.T) {
	deployments := cluster.DeploymentType
	deployments.Listable = true
	source := newFakeSource(t, strings.TrimPrefix(operatorScene("op", "t1", "meters, meters/finalizers", "")+heldMeter("a", "x1", "op")+heldMeter("b", "x1", "op")+heldMeter("c", "x2", "op"), "\n---\n"))
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	types := append(servedTypes(), deployments)
	var objects []stuck.Object
	for _, served := range types {
		if err := source.Scan(t.Context(), served, cluster.Selection{}, func(o stuck.Object) { objects = append(objects, o) }); err != nil {
			t.Fatal(err)
		}
	}
	view := cluster.NewView(t.Context(), source, types, nil)
	found, err := preflight.ControllerNamespacesOf(t.Context(), view, known, objects)
	if err != nil || len(found) != 3 || len(view.AllGaps()) > 0 {
		t.Errorf("%v, gaps %v, error %v", found, view.AllGaps(), err)
	}
	for key, namespaces := range found {
		if !slices.Equal(namespaces, []string{"t1"}) {
			t.Errorf("%v: %q", key, namespaces)
		}
	}
}

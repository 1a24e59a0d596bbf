package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// othersScene is an operator with objects in two namespaces, and a Deployment that may write nothing.
const othersScene = `
for n in pfo-op pfo-a pfo-b; do kubectl create namespace $n; done
kubectl wait -n pfo-op serviceaccount/default --for=create --timeout=5m
kubectl apply -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.pfo.example.org}
spec:
  group: pfo.example.org
  scope: Namespaced
  names: {plural: zones, singular: zone, kind: Zone}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: zone-operator, namespace: pfo-op}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pfo-zones}
rules:
- {apiGroups: [pfo.example.org], resources: [zones], verbs: [get, list, watch, update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: pfo-zones}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pfo-zones}
subjects: [{kind: ServiceAccount, name: zone-operator, namespace: pfo-op}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: zone-operator, namespace: pfo-op, labels: {release: pfo}}
spec:
  selector: {matchLabels: {app: zone-operator}}
  template:
    metadata: {labels: {app: zone-operator}}
    spec: {serviceAccountName: zone-operator, nodeName: node-1, containers: [{name: c, image: registry.example.com/op}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: pfo-a}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeName: node-1, containers: [{name: c, image: registry.example.com/web}]}
END
kubectl wait crd/zones.pfo.example.org --for=condition=Established --timeout=5m
kubectl -n pfo-op rollout status deployment/zone-operator --timeout=5m
for n in pfo-a pfo-b; do
until kubectl apply --server-side --field-manager=zone-operator -f - <<END
apiVersion: pfo.example.org/v1
kind: Zone
metadata: {name: main, namespace: $n, finalizers: [pfo.example.org/records]}
END
do sleep 0.2; done
done
`

// unnamedZones is an object with a finalizer whose controller is not known, and a Deployment that may write all of its namespace.
const unnamedZones = `
kubectl create serviceaccount janitor -n pfo-b
kubectl create rolebinding janitor -n pfo-b --clusterrole=cluster-admin --serviceaccount=pfo-b:janitor
kubectl apply -f - <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: janitor, namespace: pfo-b}
spec:
  replicas: 0
  selector: {matchLabels: {app: janitor}}
  template:
    metadata: {labels: {app: janitor}}
    spec: {serviceAccountName: janitor, containers: [{name: c, image: registry.example.com/janitor}]}
END
kubectl apply --server-side --field-manager=manager -f - <<END
apiVersion: pfo.example.org/v1
kind: Zone
metadata: {name: unnamed, namespace: pfo-b, finalizers: [other.example.net/x]}
END
`

// zoneEditor is a second Deployment that may write the zones.
const zoneEditor = `
kubectl create serviceaccount editor -n pfo-op
kubectl create clusterrolebinding pfo-editor --clusterrole=pfo-zones --serviceaccount=pfo-op:editor
kubectl apply -f - <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: editor, namespace: pfo-op}
spec:
  selector: {matchLabels: {app: editor}}
  template:
    metadata: {labels: {app: editor}}
    spec: {serviceAccountName: editor, nodeName: node-1, containers: [{name: c, image: registry.example.com/editor}]}
END
kubectl -n pfo-op rollout status deployment/editor --timeout=5m
`

// TestPreflightOthers names objects that are not deleted, and whose controller is, or loses its account or its permissions;
// not where another Deployment may be their controller.
func TestPreflightOthers(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, othersScene)
	const zones, operator = "2 zones.pfo.example.org in 2 namespaces: ", "deployment/zone-operator -n pfo-op"
	lost := zones + operator + ", the controller of pfo.example.org/records, is deleted"
	for _, c := range []preflightCase{
		{plane.Admin, operator, 2, []string{
			"The deletion of " + operator + " (", "would leave other objects without what they need to be deleted", "Objects that are not deleted", "controller-gone, likely", lost,
			"kubectl get zones.pfo.example.org -A",
		}},
		{plane.Admin, "ns/pfo-op", 2, []string{"controller-gone, likely", lost}},
		{plane.Admin, "-l release=pfo -A", 2, []string{lost}},
		{plane.Admin, "clusterrolebinding/pfo-zones", 2, []string{"controller-lost-permissions, likely", zones + "what gives " + operator + " its permissions on zones.pfo.example.org is deleted"}},
		{plane.Admin, "clusterrole/pfo-zones", 2, []string{"controller-lost-permissions, likely"}},
		{plane.Admin, "serviceaccount/zone-operator -n pfo-op", 2, []string{zones + "serviceaccount/zone-operator -n pfo-op, which " + operator + " runs as, is deleted"}},
		{plane.Admin, "deployment/web -n pfo-a", 0, []string{"would go through"}},
		{plane.Admin, operator + " -o junit", 2, []string{`name="not deleted: 2 zones.pfo.example.org in 2 namespaces"`, `type="controller-gone"`}},
	} {
		c.check(t, p)
	}
	out, _, _ := finalizers(t, p.Env(plane.Admin), "preflight", "deployment/zone-operator", "-n", "pfo-op", "-o", "json")
	var document struct {
		Outcome string
		Others  []struct {
			Cause   struct{ ID string }
			Objects []struct {
				Resource string
				Objects  int
			}
			Namespaces []string
		}
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || document.Outcome != "OthersGetStuck" || len(document.Others) != 1 || len(document.Others[0].Namespaces) != 2 || document.Others[0].Objects[0].Objects != 2 {
		t.Errorf("%v: %s", err, out)
	}
	checkSweepKeepsOperator(t, p, lost)
	runSetup(t, p, unnamedZones)
	preflightCase{plane.Admin, "deployment/janitor -n pfo-b", 4, []string{
		"whether deployment/janitor -n pfo-b is the controller of other.example.net/x on 1 zone.pfo.example.org -n pfo-b: it is deleted, and may update them; no clue names the controller",
	}}.check(t, p)
	runSetup(t, p, zoneEditor)
	preflightCase{plane.Admin, operator, 4, []string{
		"not everything could be checked", "whether a controller of pfo.example.org/records on 1 zone.pfo.example.org -n pfo-a is left", "deployment/editor -n pfo-op runs, and may write zones.pfo.example.org (clusterrolebinding/pfo-editor)",
	}}.check(t, p)
	checkSweepKeepsController(t, p)
}

// checkSweepKeepsController sweeps an operator with its objects, which nothing removes here: it is left with them.
func checkSweepKeepsController(t *testing.T, p *plane.Plane) {
	t.Helper()
	runSetup(t, p, `kubectl delete namespace pfo-b --wait=false`) // it has objects of which the controller is not known
	out, _, code := sweepNow(t, p, t.TempDir(), "-l", "sweep-all=pfo", "--yes", "--stall=1s", "--accept-stuck-later")
	wantWords(t, out, []string{
		"zone.pfo.example.org/main -n pfo-a Stuck", "namespace/pfo-op Held 1 not deleted: zone.pfo.example.org/main -n pfo-a still exists",
	})
	phase, _, _ := kubectl(t, p, plane.Admin, "get", "namespace", "pfo-op", "-o", "jsonpath={.status.phase}")
	if code != 2 || phase != "Active" {
		t.Errorf("it ended with %d, and the namespace is %q", code, phase)
	}
	runSetup(t, p, `
		kubectl delete namespace pfo-a pfo-op --wait=false
		for n in pfo-a pfo-b; do for zone in $(kubectl get zones -n $n -o name); do kubectl patch $zone -n $n --type=merge -p '{"metadata":{"finalizers":[]}}'; done; done`)
}

// checkSweepKeepsOperator sweeps the namespace of an operator whose objects are elsewhere: it is kept, unless that is allowed, or
// the objects are swept too.
func checkSweepKeepsOperator(t *testing.T, p *plane.Plane, lost string) {
	t.Helper()
	runSetup(t, p, `
		kubectl label namespace pfo-op sweep=pfo sweep-all=pfo
		kubectl label namespace pfo-a pfo-b sweep-all=pfo`)
	later := strings.Replace(lost, ": ", " would get stuck when deleted later: ", 1)
	out, _, code := sweepNow(t, p, t.TempDir(), "-l", "sweep=pfo", "--yes")
	wantWords(t, out, []string{"namespace/pfo-op Kept - " + later + "; delete these first, or allow it with --accept-stuck-later"})
	phase, _, _ := kubectl(t, p, plane.Admin, "get", "namespace", "pfo-op", "-o", "jsonpath={.status.phase}")
	if code != 0 || phase != "Active" {
		t.Errorf("it ended with %d, and the namespace is %q", code, phase)
	}
	out, _, _ = sweepNow(t, p, t.TempDir(), "-l", "sweep=pfo", "--accept-stuck-later")
	wantWords(t, out, []string{"namespace/pfo-op Delete labels sweep=pfo"})
	out, _, _ = sweepNow(t, p, t.TempDir(), "-l", "sweep-all=pfo")
	wantWords(t, out, []string{"namespace/pfo-op Delete labels sweep-all=pfo", "namespace/pfo-a Delete labels sweep-all=pfo"})
}

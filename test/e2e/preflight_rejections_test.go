package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// rejectionScene has nine ConfigMaps and a Deployment, of which a policy keeps the last ConfigMap and the ReplicaSet, and
// a type whose objects it keeps too. A webhook's Service has an endpoint.
const rejectionScene = `
kubectl create namespace pf-deny
kubectl create namespace pf-hook
kubectl wait -n pf-hook serviceaccount/default --for=create --timeout=5m
kubectl apply -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: pf-keep}
spec:
  failurePolicy: Fail
  matchConstraints:
    objectSelector: {matchLabels: {pf-keep: "yes"}}
    resourceRules:
    - {apiGroups: ["", apps, pf-kept.example.org], apiVersions: [v1], operations: [DELETE], resources: [configmaps, replicasets, parts]}
  validations: [{expression: "false", message: "kept"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: pf-keep}
spec: {policyName: pf-keep, validationActions: [Deny]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.pf-kept.example.org}
spec:
  group: pf-kept.example.org
  scope: Namespaced
  names: {plural: parts, singular: part, kind: Part}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: pf-deny}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, pf-keep: "yes"}}
    spec: {containers: [{name: c, image: registry.example.com/web}]}
---
apiVersion: v1
kind: Pod
metadata: {name: hook, namespace: pf-hook, labels: {app: hook, release: pf-hook}}
spec: {nodeName: node-1, containers: [{name: c, image: registry.example.com/hook}]}
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: pf-hook}
spec: {selector: {app: hook}, ports: [{port: 443}]}
END
for i in 1 2 3 4 5 6 7 8 9; do kubectl create configmap c$i -n pf-deny; kubectl label configmap c$i -n pf-deny release=pf-deny; done
kubectl label configmap c9 -n pf-deny pf-keep=yes
kubectl wait crd/parts.pf-kept.example.org --for=condition=Established --timeout=5m
until kubectl apply -f - <<'END'
apiVersion: pf-kept.example.org/v1
kind: Part
metadata: {name: it, namespace: default, finalizers: [pf-kept.example.org/hold], labels: {pf-keep: "yes"}}
END
do sleep 0.2; done
kubectl apply -f - <<END
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: hook-by-hand, namespace: pf-hook, labels: {kubernetes.io/service-name: hook}}
addressType: IPv4
ports: [{port: 443}]
endpoints:
- {addresses: [10.0.0.1], conditions: {ready: true}, targetRef: {kind: Pod, name: hook, namespace: pf-hook, uid: $(kubectl get pod hook -n pf-hook -o jsonpath='{.metadata.uid}')}}
END
until kubectl delete configmap c9 -n pf-deny --dry-run=server 2>&1 | grep -q kept; do sleep 0.2; done
until kubectl delete part it -n default --dry-run=server 2>&1 | grep -q kept; do sleep 0.2; done
until kubectl get replicasets -n pf-deny -o name | grep -q .; do sleep 0.2; done
`

// TestPreflightRejections asks about deletions that admission rejects for one of many objects, for a dependent, or only
// when the server of a webhook is deleted too. It rejects nothing that goes with its CustomResourceDefinition.
func TestPreflightRejections(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, rejectionScene)
	for _, c := range []preflightCase{
		{plane.Admin, "-l release=pf-deny -n pf-deny", 2, []string{"The deletion of 9 objects would get stuck.", "delete-denied, confirmed", "denies deletion of configmap/c9"}},
		{plane.Admin, "cm/c9 -n pf-deny --probe=false", 4, []string{"but not everything could be checked.", "dry runs of the deletion: disabled (--probe=false)"}},
		{plane.Admin, "deployment/web -n pf-deny", 2, []string{"delete-denied, likely", "denies deletion of replicaset/web-"}},
	} {
		c.check(t, p)
	}
	// Whether a controller is left is not known while the type is young: the garbage collector may have come to watch it.
	out, _, code := kubectl(t, p, plane.Admin, "finalizers", "preflight", "crd/parts.pf-kept.example.org")
	if code == 0 || !strings.Contains(out, "pf-kept.example.org/hold") || strings.Contains(out, "delete-denied") {
		t.Errorf("it ended with %d; no policy is asked about what goes with its definition, and its finalizer remains:\n%s", code, out)
	}
	checkOrderOfKept(t, p)
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	runSetup(t, p, fmt.Sprintf(`kubectl delete validatingadmissionpolicybinding pf-keep
kubectl patch part it -n default --type=merge -p '{"metadata":{"finalizers":null}}'
printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: pf-deny}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: hook, namespace: pf-hook}\n' > %s
kubectl apply -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: pf-lost}
webhooks:
- name: lost.pf.example.org
  clientConfig: {service: {namespace: pf-hook, name: hook}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: pf-deny}}
  rules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [DELETE]}]
  sideEffects: None
  admissionReviewVersions: [v1]
END`, file))
	preflightCase{plane.Admin, "--probe=false -f " + file, 2, []string{"webhook lost.pf.example.org rejects deletion of deployments.apps when the Pods of service/hook -n pf-hook are deleted"}}.check(t, p)
	runSetup(t, p, `kubectl patch validatingwebhookconfiguration pf-lost --type=json -p '[{"op":"add","path":"/webhooks/0/matchConditions","value":[{"name":"all","expression":"true"}]}]'`)
	preflightCase{plane.Admin, "--probe=false -f " + file, 4, []string{"whether webhook lost.pf.example.org (validatingwebhookconfiguration/pf-lost) is called for deployments.apps -n pf-deny: its matchConditions are not evaluated"}}.check(t, p)
	runSetup(t, p, `kubectl delete validatingwebhookconfiguration pf-lost
(printf '{"apiVersion":"pf-kept.example.org/v1","kind":"Part","metadata":{"name":"large","namespace":"default","finalizers":["foregroundDeletion"]},"history":"'; head -c 1400000 /dev/zero | tr '\0' x; printf '"}') | kubectl create -f -`)
	preflightCase{plane.Admin, "part/large -n default", 4, []string{"but not everything could be checked.", "whether etcd accepts updates of part.pf-kept.example.org/large -n default: the object has 1400"}}.check(t, p)
	runSetup(t, p, `kubectl patch part large -n default --type=merge -p '{"metadata":{"finalizers":null}}'`)
}

// checkOrderOfKept runs the deletions of the order that is printed for a definition, and what else is deleted, as dry runs: the
// policy denies that of its object.
func checkOrderOfKept(t *testing.T, p *plane.Plane) {
	t.Helper()
	args := []string{"finalizers", "preflight", "crd/parts.pf-kept.example.org", "pod/hook", "-n", "pf-hook"}
	out, _, _ := kubectl(t, p, plane.Admin, args...)
	wantWords(t, out, []string{
		"1. what controllers have to finish, while they run (1 object) customresourcedefinition/parts.pf-kept.example.org in place of its objects: the API server does not accept a dry run of their own deletion",
		"kubectl delete customresourcedefinition/parts.pf-kept.example.org --wait=false", "2. workloads (1 object)",
	})
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "kubectl delete ") {
			runSetup(t, p, line+" --dry-run=server")
		}
	}
	out, _, _ = kubectl(t, p, plane.Admin, append(args, "--probe=false")...)
	wantWords(t, out, []string{"kubectl delete part.pf-kept.example.org/it -n default --wait=false", "custom resource definitions, last", "dry runs of the deletion: disabled"})
}

// TestPreflightOfNothing refuses input that selects nothing, or everything, by mistake.
func TestPreflightOfNothing(t *testing.T) {
	p := sharedPlane(t)
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	unserved := filepath.Join(t.TempDir(), "unserved.yaml")
	if err := errors.Join(os.WriteFile(empty, nil, 0o600), os.WriteFile(unserved, []byte("apiVersion: none.example.org/v1\nkind: None\nmetadata: {name: x}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, input := range []badInput{
		{"preflight", []string{"preflight takes objects: TYPE/NAME, such as ns/shop"}},
		{"preflight -l a=b -n none", []string{`namespace "none" not found: check -n and --context`}},
		{"preflight -f " + empty, []string{"there is no object in the manifests"}},
		{"preflight -f " + unserved, []string{"unserved.yaml: the server has no kind None.none.example.org"}},
		{"preflight nosuch/x", []string{`have a resource type "nosuch"`}},
	} {
		wantRefused(t, p.Env(plane.Admin), input)
	}
	if _, errOut, code := finalizers(t, p.Env(plane.Admin), "preflight", "-l", " "); code != 1 || !strings.Contains(errOut, "reading --selector: it is empty") {
		t.Errorf("with a blank for a selector it ended with %d: %s", code, errOut)
	}
}

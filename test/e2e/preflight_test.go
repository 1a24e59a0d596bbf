package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// preflightScene is an operator with an object of its own in its namespace, a claim that a Pod
// uses, and a webhook without a server.
const preflightScene = `
kubectl create namespace pf-shop
kubectl create configmap settings -n pf-shop
kubectl create namespace pf-op
kubectl wait -n pf-op serviceaccount/default --for=create --timeout=5m
kubectl apply -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.pf.example.org}
spec:
  group: pf.example.org
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: pf-op}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: op, namespace: pf-op, labels: {release: pf}}
spec:
  replicas: 1
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec: {serviceAccountName: op, nodeName: node-1, containers: [{name: c, image: registry.example.com/op}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pf-op}
rules:
- {apiGroups: [pf.example.org], resources: [things], verbs: [get, list, watch, update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: pf-op, labels: {release: pf}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pf-op}
subjects: [{kind: ServiceAccount, name: op, namespace: pf-op}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: pf-op}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: db-0, namespace: pf-op}
spec:
  nodeName: node-1
  containers: [{name: db, image: registry.example.com/db}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
END
kubectl wait crd/things.pf.example.org --for=condition=Established --timeout=5m
kubectl -n pf-op rollout status deployment/op --timeout=5m
until kubectl apply --server-side --field-manager=op -f - <<'END'
apiVersion: pf.example.org/v1
kind: Thing
metadata: {name: it, namespace: pf-op, finalizers: [pf.example.org/hold], labels: {release: pf}}
END
do sleep 0.2; done
until [ -n "$(kubectl get pvc data -n pf-op -o jsonpath='{.metadata.finalizers}')" ]; do sleep 0.2; done
`

// preflightWebhook rejects all updates and deletions of the things.
const preflightWebhook = `
kubectl apply -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: pf-check}
webhooks:
- name: check.pf.example.org
  clientConfig: {service: {namespace: pf-shop, name: check}}
  rules: [{apiGroups: [pf.example.org], apiVersions: [v1], resources: [things], operations: [UPDATE, DELETE]}]
  sideEffects: None
  admissionReviewVersions: [v1]
END
until kubectl delete things.pf.example.org it -n pf-op --dry-run=server 2>&1 | grep -q 'failed calling webhook'; do sleep 0.2; done
`

// preflightCase is a command line, its exit code and words that it prints in this order.
type preflightCase struct {
	user, args string
	code       int
	words      []string
}

func (c preflightCase) check(t *testing.T, p *plane.Plane) string {
	t.Helper()
	out, errOut, code := finalizers(t, p.Env(c.user), append([]string{"preflight"}, strings.Fields(c.args)...)...)
	rest := strings.Join(strings.Fields(errOut+out), " ")
	for _, words := range c.words {
		_, after, found := strings.Cut(rest, words)
		if !found {
			t.Errorf("%s does not print %q:\n%s%s", c.args, words, errOut, out)
		}
		rest = after
	}
	if code != c.code {
		t.Errorf("%s ended with %d, not %d:\n%s%s", c.args, code, c.code, errOut, out)
	}
	return out
}

// watcherDelay is how old a type has to be for the watches on it to say who watches: until then one of them may be that of the
// garbage collector, or not yet be.
const watcherDelay = 92 * time.Second

// waitForWatchers waits until it is certain which controllers watch the things.
func waitForWatchers(t *testing.T, p *plane.Plane) {
	t.Helper()
	eventually(t, func() error {
		text, errOut, _ := kubectl(t, p, plane.Admin, "get", "crd", "things.pf.example.org", "-o", "jsonpath={.metadata.creationTimestamp}")
		created, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return fmt.Errorf("%w: %s", err, errOut)
		}
		if age := time.Since(created); age < watcherDelay {
			return fmt.Errorf("the type is %s old", age)
		}
		return nil
	})
}

// TestPreflight asks about deletions that go through and that do not, and deletes in the order
// that was printed.
func TestPreflight(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, preflightScene)
	waitForWatchers(t, p)
	cases := []preflightCase{
		{plane.Admin, "ns/pf-shop", 0, []string{"The deletion of namespace/pf-shop (", "would go through."}},
		{plane.Admin, "things.pf.example.org/it -n pf-op", 2, []string{"The deletion of thing.pf.example.org/it -n pf-op would get stuck.", "controller-not-watching, likely"}},
		{plane.Admin, "ns/pf-op", 2, []string{
			"would get stuck.", "controller-deleted-with-namespace, likely", "deployment/op -n pf-op, the controller of pf.example.org/hold, is deleted too",
			"Safe order of deletion", "kubectl delete thing.pf.example.org/it -n pf-op --wait=false", "kubectl delete namespace/pf-op --wait=false",
		}},
		{plane.Admin, "-l release=pf -A", 2, []string{"deployment/op -n pf-op, the controller of pf.example.org/hold, is deleted too"}},
		{plane.Admin, "clusterrolebinding/pf-op things.pf.example.org/it -n pf-op", 2, []string{"what gives deployment/op -n pf-op its permissions on things.pf.example.org -n pf-op is deleted too"}},
		{plane.Admin, "pvc/data -n pf-op", 2, []string{"claim-in-use, confirmed", "pod/db-0 uses the claim"}},
		{plane.Admin, "pvc/data pod/db-0 -n pf-op", 0, []string{"would go through"}},
		{tenantOf(t, p, "pf-shop"), "ns/pf-shop", 4, []string{"Nothing was found that would get stuck", "but not everything could be checked", "Not checked"}},
		{plane.Admin, "-f /dev/null/no-such", 1, nil},
	}
	for _, c := range cases {
		c.check(t, p)
	}
	script := preflightCommands(cases[2].check(t, p))
	runSetup(t, p, preflightWebhook)
	preflightCase{plane.Admin, "ns/pf-op", 2, []string{"webhook check.pf.example.org", "pf-check", "Safe order of deletion, when cause"}}.check(t, p)
	runSetup(t, p, "kubectl delete validatingwebhookconfiguration pf-check")
	// The operator is none: this is what it would do.
	operator := `until [ -n "$(kubectl get things.pf.example.org it -n pf-op -o jsonpath='{.metadata.deletionTimestamp}')" ]; do sleep 0.2; done
kubectl patch things.pf.example.org it -n pf-op --type=merge -p '{"metadata":{"finalizers":null}}'`
	runSetup(t, p, fmt.Sprintf("(%s) &\n%s\nwait", operator, script))
	if out, _, _ := kubectl(t, p, plane.Admin, "get", "namespace", "pf-op", "--ignore-not-found", "-o", "name"); out != "" {
		t.Errorf("after the commands %s still exists:\n%s", out, script)
	}
}

// preflightCommands are the commands of the safe order.
func preflightCommands(screen string) string {
	_, order, _ := strings.Cut(screen, "Safe order of deletion\n")
	var lines []string
	for line := range strings.Lines(order) {
		if strings.HasPrefix(line, "  kubectl ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

// TestPreflightOfManifests skips what does not exist.
func TestPreflightOfManifests(t *testing.T) {
	p := sharedPlane(t)
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	runSetup(t, p, fmt.Sprintf(`kubectl create namespace pf-files
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: absent, namespace: pf-files}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: pf-files}\n' > %s`, file))
	preflightCase{plane.Admin, "-f " + file, 0, []string{`configmaps "absent" not found in namespace "pf-files"`, "The deletion of namespace/pf-files (", "would go through."}}.check(t, p)
}

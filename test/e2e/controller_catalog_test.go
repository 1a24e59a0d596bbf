package e2e

import (
	"cmp"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// project is one that the catalog knows, installed as its own manifests install it.
type project struct {
	name, namespace string
	// workload is the kind and the name of its controller, labels are those of its pods.
	workload, labels string
	// plural, group, version and kind are the type, finalizer is what its controller puts on it.
	plural, group, version, kind, finalizer string
}

// The names, namespaces and labels are those of the projects' manifests: cert-manager's static install, the charts of
// external-secrets and of argo-cd.
var projects = []project{
	{
		"cert-manager", "cert-manager", "Deployment/cert-manager",
		"app: cert-manager, app.kubernetes.io/name: cert-manager, app.kubernetes.io/instance: cert-manager, app.kubernetes.io/component: controller",
		"challenges", "acme.cert-manager.io", "v1", "Challenge", "acme.cert-manager.io/finalizer",
	},
	{
		"External Secrets Operator", "external-secrets", "Deployment/external-secrets",
		"app.kubernetes.io/name: external-secrets, app.kubernetes.io/instance: external-secrets",
		"externalsecrets", "external-secrets.io", "v1", "ExternalSecret", "externalsecrets.external-secrets.io/externalsecret-cleanup",
	},
	{
		"Argo CD", "argocd", "StatefulSet/argocd-application-controller",
		"app.kubernetes.io/name: argocd-application-controller",
		"applications", "argoproj.io", "v1alpha1", "Application", "resources-finalizer.argocd.argoproj.io",
	},
}

// The account may not write the type: what leads to it is the catalog alone.
const projectScene = `
apiVersion: v1
kind: Namespace
metadata: {name: NAMESPACE}
---
apiVersion: v1
kind: Namespace
metadata: {name: known-NAMESPACE}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.GROUP
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: PLURAL, kind: KIND}
  versions:
  - name: VERSION
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apps/v1
kind: WORKLOAD_KIND
metadata: {name: WORKLOAD_NAME, namespace: NAMESPACE}
spec:
  replicas: 1
  selector: {matchLabels: {LABELS}}
  template:
    metadata: {labels: {LABELS}}
    spec: {containers: [{name: controller, image: registry.example.com/x}]}
`

const projectObject = `
apiVersion: GROUP/VERSION
kind: KIND
metadata: {name: it, namespace: known-NAMESPACE, finalizers: [FINALIZER]}
`

func (p project) named(text string) string {
	kind, name, _ := strings.Cut(p.workload, "/")
	return strings.NewReplacer("WORKLOAD_KIND", kind, "WORKLOAD_NAME", name, "NAMESPACE", p.namespace, "LABELS", p.labels,
		"PLURAL", p.plural, "GROUP", p.group, "VERSION", p.version, "KIND", p.kind, "FINALIZER", p.finalizer).Replace(text)
}

func TestOwnerInTheCatalogue(t *testing.T) {
	shared := sharedPlane(t)
	for _, p := range projects {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			runSetup(t, shared, p.named("kubectl apply -f - <<'END'\n"+projectScene+"END\n"+
				"kubectl wait crd/PLURAL.GROUP --for=condition=Established --timeout=5m\n"+
				"kubectl -n NAMESPACE rollout status WORKLOAD_KIND/WORKLOAD_NAME --timeout=5m\n"+
				"kubectl create -f - <<'END'\n"+projectObject+"END\n"+
				"kubectl -n known-NAMESPACE delete PLURAL.GROUP/it --wait=false"))
			kind, name, _ := strings.Cut(p.workload, "/")
			want := wantExplanation{
				verdict: stuck.Blocked, owners: []string{kind + " " + p.namespace + "/" + name}, alive: stuck.Running,
				clues: []string{"has the usual name and namespace of " + p.name + ", which removes"},
			}
			var got explanation
			look := func() (err error) {
				got, err = tryDocument[explanation](t, shared, plane.Admin, "explain", p.named("PLURAL.GROUP/it"), "-n", p.named("known-NAMESPACE"))
				return cmp.Or(err, want.diff(p.named, got))
			}
			eventually(t, look)
			if owners := got.Target.Diagnosis.Controllers; len(owners) > 0 && owners[0].Project != p.name {
				t.Errorf("the project is %q", owners[0].Project)
			}
			// Uninstalled, it is no less known whose it was. The type goes with it, for other tests to bring their own.
			runSetup(t, shared, p.named("kubectl delete WORKLOAD_KIND/WORKLOAD_NAME -n NAMESPACE"))
			want = wantControllerGone(p.name + " usually runs as " + strings.ToLower(p.workload))
			eventually(t, look)
			runSetup(t, shared, p.named("kubectl -n known-NAMESPACE patch PLURAL.GROUP/it --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\n"+
				"kubectl delete crd/PLURAL.GROUP namespace/NAMESPACE namespace/known-NAMESPACE"))
		})
	}
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// crateCatalog is a user's own catalog. The name of a need or of a user comes from a label or an annotation, or is fixed.
const crateCatalog = `area: ours
project: Crane
components:
- {name: operator, namespaces: [cranes], workloads: [deployment/crane-operator]}
finalizers:
- finalizer: $G/hold
  types: [Crate.$G]
  waitsFor: unloads the crate
  leak: ExternalResources
  leaves: the crate remains on the ship
  steps: [{action: check, description: look at the crane}]
  needs:
  - {label: ship, suffix: -kubeconfig, types: [Secret], purpose: to reach the ship}
  - {fixed: harbor, types: [ConfigMap], purpose: to find the quay}
  usedBy:
  - {type: Lease.coordination.k8s.io, annotation: crate, text: reserves the crate}
  - {type: PodDisruptionBudget.policy, all: true, unless: [{label: optional}], text: keeps every crate of its namespace}
  source: [{repository: example/crane, path: main.go}]
`

// TestCatalogDependencies explains an object by a user's own catalog, before and after what it needs exists and what keeps it is gone.
func TestCatalogDependencies(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "dependencies", `
crates a
kubectl label -n $N crates.$G a ship=vega
kubectl create -n $N poddisruptionbudget quay --selector=a=b --min-available=1
kubectl create -n $N poddisruptionbudget pier --selector=a=b --min-available=1
kubectl label -n $N poddisruptionbudget pier optional=yes
printf '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"%s","annotations":{"crate":"%s"}}}' mine a other b | kubectl create -n $N -f -
kubectl delete -n $N crates.$G a --wait=false
`)
	file := filepath.Join(t.TempDir(), "ours.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(crateCatalog, "$G", s.group)), 0o600); err != nil {
		t.Fatal(err)
	}
	explain := func(want []string, unwanted ...string) {
		t.Helper()
		out, errOut, _ := finalizers(t, s.env(plane.Admin), "explain", "crates."+s.group+"/a", "-n", s.namespace, "--catalog", file, "-o", "markdown")
		t.Logf("%s%s", out, errOut)
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("it does not say %q", text)
			}
		}
		for _, text := range unwanted {
			if strings.Contains(out, text) {
				t.Errorf("it says %q", text)
			}
		}
	}
	const missing, users = "reference-missing", "in-use"
	explain([]string{
		missing, "label ship with suffix -kubeconfig of the object names secret/vega-kubeconfig, which does not exist", "the controller always uses configmap/harbor, which does not exist",
		users, "lease/mine -n removal-dependencies reserves the crate", "poddisruptionbudget/quay -n removal-dependencies keeps every crate of its namespace",
	}, "lease/other", "poddisruptionbudget/pier")
	s.runScript(t, `
kubectl create -n $N secret generic vega-kubeconfig
kubectl create -n $N configmap harbor
kubectl delete -n $N lease/mine pdb/quay
`)
	explain(nil, missing, users)
}

package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// rightsScene has a stuck object in an active namespace, a namespace that waits for a Secret alone, one without a stuck
// object, and one that its tenant deletes. The types of rights.example.com are none that a tenant may read.
const rightsScene = `
held() {
  printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s","namespace":"%s","finalizers":["rights.example.com/hold"]}}' "$@" |
    kubectl create -f -
}
cat <<END | kubectl create -f -
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.rights.example.com}
spec:
  group: rights.example.com
  scope: Namespaced
  names: {plural: crates, singular: crate, kind: Crate}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
END
kubectl wait crd/crates.rights.example.com --for=condition=Established --timeout=5m
for namespace in rights-living rights-secret rights-well rights-lost; do kubectl create namespace "$namespace"; done
held rights.example.com/v1 Crate crate-1 rights-living
held v1 ConfigMap ledger rights-living
held v1 Secret key rights-secret
held rights.example.com/v1 Crate crate-2 rights-lost
kubectl -n rights-living delete crate/crate-1 configmap/ledger --wait=false
kubectl delete namespace rights-secret --wait=false
kubectl wait namespace/rights-secret --for=condition=NamespaceFinalizersRemaining --timeout=5m
`

// lostAccessScene deletes the namespace and waits until the namespace controller has deleted the tenant's RoleBinding, and the
// API server has heard of it.
const lostAccessScene = `
kubectl delete namespace rights-lost --wait=false
kubectl wait namespace/rights-lost --for=condition=NamespaceFinalizersRemaining --timeout=5m
kubectl -n rights-lost wait rolebinding --all --for=delete --timeout=5m
while kubectl auth can-i list configmaps -n rights-lost --as LOSER; do sleep 0.1; done
`

// accessCase is what a user of few rights must be told. Of the many types that they may not read the screen names the first ten
// alone, and which these are depends on what other tests brought to the same control plane.
type accessCase struct {
	args string
	// code is the exit code with --exit-code; without it, it is 0.
	code int
	// out and errOut are words that must be on the one stream and on the other.
	out, errOut []string
	// gaps are sources that must be among the gaps of the document.
	gaps []string
}

const incomplete = "but not everything could be read"

var viewerCases = []accessCase{
	{"list -n rights-living", 2, []string{"cm/ledger", "/crate-1 "}, []string{"secrets -n rights-living: forbidden"}, []string{"secrets -n rights-living"}},
	{"list -n rights-secret", 2, []string{"ns/rights-secret"}, []string{"secrets -n rights-secret: forbidden"}, []string{"secrets -n rights-secret"}},
	{"list -n rights-well", 4, nil, []string{"secrets -n rights-well: forbidden", incomplete}, []string{"secrets -n rights-well"}},
	{"list -A", 2, []string{"/crate-2 ", "ns/rights-secret"}, []string{"secrets", "forbidden"}, []string{"secrets"}},
	{"explain ns/rights-secret", 2, []string{"namespace/rights-secret is ", "Not checked", "secrets -n rights-secret: forbidden"}, nil, []string{"secrets -n rights-secret"}},
	{"explain ns/rights-lost", 2, []string{"crate.rights.example.com/crate-2", "no cause was found for finalizer rights.example.com/hold", "secrets -n rights-lost: forbidden"}, nil, []string{"secrets -n rights-lost"}},
	{"explain crate/crate-1 -n rights-living", 2, []string{"crate.rights.example.com/crate-1 -n rights-living is "}, nil, nil},
}

var tenantCases = []accessCase{
	{"list -n rights-living", 2, []string{"cm/ledger"}, []string{"forbidden"}, []string{"crates.rights.example.com -n rights-living"}},
	{"explain cm/ledger -n rights-living", 2, []string{"configmap/ledger -n rights-living is "}, nil, nil},
	{"explain ns/rights-living", 0, []string{"namespace/rights-living is not being deleted"}, nil, nil},
}

// blindCases are what a tenant asks of which they may read nothing, and lostCases the same of one who has lost their namespace:
// nothing was read, so nothing can be said.
var (
	blindCases = map[string]string{
		"list -A":            "you may not list any type in the cluster",
		"list configmaps -A": "listing configmaps: ",
		"list crates.rights.example.com -n rights-living": "listing crates.rights.example.com: ",
		"health --check list":                             "you may not list any of ",
	}
	lostCases = map[string]string{
		"list -n rights-lost": "you may not list any type in namespace rights-lost", "list -n rights-living -o json": "you may not list any type in namespace rights-living",
		"explain ns/rights-lost": "is forbidden", "explain crate/crate-2 -n rights-lost": "is forbidden",
	}
)

func TestRights(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, rightsScene)
	tenant, loser := tenantOf(t, p, "rights-living"), tenantOf(t, p, "rights-lost")
	runSetup(t, p, strings.ReplaceAll(lostAccessScene, "LOSER", loser))
	if _, err := p.Viewer(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, who := range []struct {
		user   string
		sights []accessCase
	}{{plane.Viewer, viewerCases}, {tenant, tenantCases}} {
		for _, s := range who.sights {
			t.Run(who.user+" "+s.args, func(t *testing.T) { s.check(t, p, who.user) })
		}
	}
	for user, cases := range map[string]map[string]string{tenant: blindCases, loser: lostCases} {
		for args, want := range cases {
			t.Run(user+" "+args, func(t *testing.T) {
				wantRefused(t, p.Env(user), badInput{args, []string{want, "ask for that right"}})
			})
		}
	}
}

// tenantOf makes a tenant of the namespace, and gives their name.
func tenantOf(t *testing.T, p *plane.Plane, namespace string) string {
	t.Helper()
	path, err := p.Tenant(t.Context(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(filepath.Base(path), ".kubeconfig")
}

func (s accessCase) check(t *testing.T, p *plane.Plane, user string) {
	args := append([]string{"finalizers"}, strings.Fields(s.args)...)
	out, errOut, code := kubectl(t, p, user, args...)
	t.Logf("as %s\n$ kubectl finalizers %s\n%s%s", user, s.args, errOut, out)
	if code != 0 {
		t.Errorf("it ended with %d", code)
	}
	if _, _, code := kubectl(t, p, user, append(args, "--exit-code")...); code != s.code {
		t.Errorf("with --exit-code it ended with %d, want %d", code, s.code)
	}
	wantWords(t, out, s.out)
	wantWords(t, errOut, s.errOut)
	s.checkDocument(t, readDocument[accessDocument](t, p, user, strings.Fields(s.args)...), out+errOut)
}

// wantWords looks for sentences, however their lines are wrapped and their columns aligned.
func wantWords(t *testing.T, text string, words []string) {
	t.Helper()
	unwrapped := strings.Join(strings.Fields(text), " ")
	for _, want := range words {
		if !strings.Contains(text, want) && !strings.Contains(unwrapped, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// accessDocument is what the documents of list and explain have in common.
type accessDocument struct {
	Items  []report.StuckObject
	Target report.StuckObject
	Gaps   []report.Gap
}

// allClear is what list says where nothing is stuck and everything was read.
var allClear = regexp.MustCompile(`No (matching )?stuck objects found in (the cluster|namespace \S+)\.`)

func (s accessCase) checkDocument(t *testing.T, got accessDocument, screen string) {
	t.Helper()
	for _, want := range s.gaps {
		if !slices.ContainsFunc(got.Gaps, func(g report.Gap) bool { return g.Source == want && g.Message != "" }) {
			t.Errorf("the document's gaps are without %q: %v", want, got.Gaps)
		}
	}
	if len(got.Gaps) > 0 && allClear.MatchString(screen) {
		t.Error("it reports no stuck objects, and could not know")
	}
	for _, item := range append(got.Items, got.Target) {
		if item.Diagnosis.Verdict == stuck.ControllerGone {
			t.Errorf("%s %s is called ControllerGone by someone who could not see its owner", item.Kind, item.Metadata.Name)
		}
	}
}

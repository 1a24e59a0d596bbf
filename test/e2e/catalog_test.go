package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// userCatalog is a file of a user's own; the leak is to be filled in.
const userCatalog = `area: ours
project: Widget Operator
components:
- name: operator
  namespaces: [widgets]
  workloads: [deployment/widget-operator]
finalizers:
- finalizer: acme.dev/cleanup
  types: [Widget.shop.acme.dev]
  waitsFor: deletes the widget at the factory
  leak: LEAK
  leaves: the widget stays at the factory
  steps:
  - action: check
    description: ask the factory
    command: kubectl -n {namespace} describe {type} {name}
  source:
  - {repository: acme/widgets, path: main.go}
`

// emptyEnvironment is the environment of a user who has no kubeconfig. A proxy that is unreachable would show any
// request.
func emptyEnvironment(t *testing.T) []string {
	t.Helper()
	return []string{"HOME=" + t.TempDir(), "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1"}
}

func TestCatalogOffline(t *testing.T) {
	for args, want := range map[string][]string{
		"karpenter.sh/termination":                                        {"is a finalizer of Karpenter: ", "If forced   external resources are left behind: ", "Steps\n", "deployment/karpenter", "Known by    its exact name"},
		"foregroundDeletion":                                              {"is a finalizer of Kubernetes.\n", "Removed by  kube-controller-manager"},
		"cephblockpool.ceph.rook.io":                                      {"is a finalizer of Rook.", "get cephblockpool.ceph.rook.io <name>", "Known by    pattern <kind>.ceph.rook.io"},
		"x.example.com/y --type Widget.example.com":                       {"is not in the catalog; its name points to API group example.com", "convention only (own-group)"},
		"finalizers.fluxcd.io":                                            {"is a finalizer of 6 controllers", "--type Kustomization.kustomize.toolkit.fluxcd.io"},
		"finalizers.fluxcd.io --type helmreleases.helm.toolkit.fluxcd.io": {"uninstalls the Helm release", "logs deployment/helm-controller"},
		"rook":         {"FINALIZER", "PROJECT", "IF FORCED", "REMOVED BY", "<kind>.ceph.rook.io", "ceph.rook.io/disaster-protection"},
		"rook -o wide": {"DOES FIRST", "ROLE"},
		"":             {"kubernetes.io/pvc-protection", "service.k8s.aws/resources"},
	} {
		t.Run(args, func(t *testing.T) {
			out, errOut, code := finalizers(t, emptyEnvironment(t), append([]string{"catalog"}, strings.Fields(args)...)...)
			if code != 0 || errOut != "" {
				t.Errorf("it ended with %d and said %q", code, errOut)
			}
			wantWords(t, out, want)
		})
	}
}

func TestCatalogDocuments(t *testing.T) {
	var list report.Catalog
	readOffline(t, &list, "catalog", "rook")
	if list.APIVersion != report.APIVersion || list.Kind != "Catalog" || len(list.Items) < 2 || list.Items[0].Project != "Rook" {
		t.Errorf("the list is %+v", list)
	}
	var one report.KnownFinalizer
	readOffline(t, &one, "catalog", "cephcluster.ceph.rook.io")
	if one.Kind != "KnownFinalizer" || one.How != "Pattern" || one.Params["kind"] != "cephcluster" || len(one.Entries) != 1 {
		t.Errorf("the document is %+v", one)
	}
}

func readOffline(t *testing.T, document any, args ...string) {
	t.Helper()
	out, errOut, code := finalizers(t, emptyEnvironment(t), append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(out), document); err != nil || code != 0 {
		t.Fatalf("%v ended with %d: %v\n%s", args, code, err, errOut)
	}
}

func TestCatalogRefuses(t *testing.T) {
	for args, want := range map[string][]string{
		"catalog karpenter.sh/terminatio": {`finalizer "karpenter.sh/terminatio" is not known`, "did you mean karpenter.sh/termination", "--type"},
		"catalog nonsense --type Pod":     {`finalizer "nonsense" is not known`, "on Pod"},
		"catalog no such words":           {`no finalizer in the catalog matches "no such words"`},
		"catalog --catalog no-such-file":  {"reading a catalog file", "no-such-file"},
		"catalog kubernetes --type a/b":   {"reading --type", "Kind.group"},
		"catalog kubernetes -o nope":      {`unknown output format "nope"`},
	} {
		t.Run(args, func(t *testing.T) { wantRefused(t, emptyEnvironment(t), badInput{args, want}) })
	}
}

func TestCatalogOfOnesOwn(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	folder := filepath.Join(home, ".config", "kubectl-finalizers", "catalog.d")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	for file, leak := range map[string]string{good: "ExternalResources", bad: "everything", filepath.Join(folder, "kept.yaml"): "Data"} {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(userCatalog, "LEAK", leak)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ home, args, want string }{
		{dir, "--catalog " + good, "external resources are left behind: the widget stays at the factory"},
		{home, "", "data is lost or left behind: the widget stays at the factory"},
		{home, "--catalog " + good, "external resources are left behind: the widget stays at the factory"},
	} {
		out, errOut, code := finalizers(t, []string{"HOME=" + test.home}, append([]string{"catalog", "acme.dev/cleanup"}, strings.Fields(test.args)...)...)
		if code != 0 || errOut != "" {
			t.Errorf("it ended with %d and said %q", code, errOut)
		}
		wantWords(t, out, []string{"is a finalizer of Widget Operator", test.want, "describe widget.shop.acme.dev <name>"})
	}
	for _, args := range []string{"catalog acme.dev/cleanup", "catalog", "list -A --server http://127.0.0.1:1", "explain ns/x --server http://127.0.0.1:1"} {
		wantRefused(t, []string{"HOME=" + dir}, badInput{args + " --catalog " + bad, []string{bad + `:8: leak "everything" is none of`}})
	}
}

package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// runOffline runs a command line that must not ask a cluster, for a user who has
// nothing but an empty home.
func runOffline(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &o, ErrOut: &e}
	p := cmd.New(streams, func() time.Time { return time.Time{} })
	p.Catalog = catalogOnce
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) {
		t.Errorf("%v asks a cluster", args)
		return nil, errors.New("there is no cluster")
	}
	code = p.Run(t.Context(), args)
	return o.String(), e.String(), code
}

func emptyHome(t *testing.T) (config string) {
	t.Helper()
	config = t.TempDir()
	t.Setenv("KUBECONFIG", filepath.Join(config, "none"))
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	return config
}

// catalogScreens are golden files, and the arguments whose screens they hold.
var catalogScreens = map[string][]string{
	"exact":             {"karpenter.sh/termination"},
	"namespace":         {"spec:kubernetes"},
	"garbage-collector": {"foregroundDeletion"},
	"pattern":           {"cephcluster.ceph.rook.io"},
	"guard":             {"kubernetes.io/pvc-protection"},
	"keep":              {"ceph.rook.io/disaster-protection"},
	"option":            {"percona.com/delete-pxc-pvc"},
	"needs":             {"acme.cert-manager.io/finalizer"},
	"used-by":           {"kubernetes.io/vac-protection"},
	"users-fields":      {"provisioner.storage.kubernetes.io/cloning-protection"},
	"class":             {"gateway.k8s.aws/resources"},
	"confirmation":      {"hive.openshift.io/deprovision"},
	"enabled-by":        {"workflows.argoproj.io/status"},
	"paused":            {"finalizer.managedresource.crossplane.io", "--type", "Bucket.s3.aws.upbound.io"},
	"hosted":            {"networking.gke.io/ingress-finalizer-V2"},
	"obsolete":          {"kyverno.io/webhooks", "--type", "Deployment.apps"},
	"marker":            {"kopf.zalando.org/KopfFinalizerMarker", "--type", "Widget.example.com"},
	"removers":          {"finalizers.fluxcd.io"},
	"remover":           {"finalizers.fluxcd.io", "--type", "helmrelease.helm.toolkit.fluxcd.io"},
	"convention":        {"widgets.example.com/cleanup", "--type", "Widget.example.com"},
	"other-type":        {"service.k8s.aws/resources", "--type", "pods"},
	"bare":              {"gardener"},
	"search":            {"rook"},
	"search-wide":       {"csi", "openshift", "-o", "wide"},
	"document":          {"cephcluster.ceph.rook.io", "-o", "yaml"},
}

func TestCatalogScreens(t *testing.T) {
	emptyHome(t)
	for name, args := range catalogScreens {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := runOffline(t, append([]string{"catalog"}, args...)...)
			if code != 0 {
				t.Errorf("it ended with %d: %s", code, errOut)
			}
			check(t, filepath.Join("testdata", "catalog", name+".txt"), out+errOut)
		})
	}
}

func TestCatalogOutput(t *testing.T) {
	emptyHome(t)
	known, err := catalogOnce()
	if err != nil {
		t.Fatal(err)
	}
	out, _, _ := runOffline(t, "catalog", "--no-headers")
	if rows := strings.Count(out, "\n"); rows != len(known.Entries()) {
		t.Errorf("%d rows for %d entries", rows, len(known.Entries()))
	}
	for args, want := range map[string]string{
		"karpenter.sh/termination -o name":                              "karpenter.sh/termination\n",
		"cephcluster.ceph.rook.io -o jsonpath={.knownBy}":               "Pattern",
		"rook ceph -o jsonpath={.items[0].project}":                     "Rook",
		"rook ceph -o name":                                             "<kind>.ceph.rook.io\nceph.rook.io/disaster-protection\n",
		"--search gardener shoot -o jsonpath={.kind}":                   "Catalog",
		"finalizers.fluxcd.io -o go-template={{.knownBy}}":              "Exact",
		"x.example.com/y --type x.example.com -o jsonpath={.belongsTo}": "example.com",
		"x.example.com/y --type X.example.com -o wide --no-headers":     "x.example.com/y is not in the catalog",
	} {
		out, errOut, code := runOffline(t, append([]string{"catalog"}, strings.Fields(args)...)...)
		if code != 0 || errOut != "" || !strings.HasPrefix(out, want) {
			t.Errorf("catalog %s ended with %d and printed %q, %q", args, code, out, errOut)
		}
	}
}

func TestCatalogRefuses(t *testing.T) {
	emptyHome(t)
	for args, want := range map[string]string{
		"karpenter.sh/terminatio": `finalizer "karpenter.sh/terminatio" is not known (did you mean karpenter.sh/termination?); pass --type Kind.group`,
		"nonsense":                `finalizer "nonsense" is not known; pass --type`,
		"nonsense --type Pod":     `finalizer "nonsense" is not known on Pod, and its name does not tell its controller`,
		"no such words":           `no finalizer in the catalog matches "no such words"`,
		"a b --type Pod":          "--type takes exactly one finalizer",
		"x --type a/b":            `reading --type: "a/b" is not Kind.group or plural.group`,
		"x -o nope":               `unknown output format "nope"`,
		"karpenter.sh/termination --catalog no.yml": "reading a catalog file: open no.yml: no such file",
	} {
		out, errOut, code := runOffline(t, append([]string{"catalog"}, strings.Fields(args)...)...)
		if code != 1 || out != "" || !strings.HasPrefix(errOut, "error: "+want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("catalog %s ended with %d and printed %q, %q", args, code, out, errOut)
		}
	}
}

// writeCatalogFile is a user's file, of a project and for one finalizer on Widget.shop.acme.dev.
func writeCatalogFile(t *testing.T, file, project, leak string) string {
	t.Helper()
	text := fmt.Sprintf(`area: ours
project: %s
components:
- name: operator
  workloads: [deployment/widget-operator]
finalizers:
- finalizer: acme.dev/cleanup
  types: [Widget.shop.acme.dev]
  waitsFor: deletes the widget at the factory
  leak: %s
  leaves: the widget stays at the factory
  steps:
  - action: check
    description: ask the factory
  source:
  - {repository: acme/widgets, path: main.go}
`, project, leak)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCatalogFiles(t *testing.T) {
	config := emptyHome(t)
	whose := func(args ...string) string {
		out, errOut, _ := runOffline(t, append([]string{"catalog", "acme.dev/cleanup", "-o", "jsonpath={.entries[*].project}"}, args...)...)
		return out + errOut
	}
	if got := whose(); !strings.Contains(got, "is not known") {
		t.Errorf("without a file it is %q", got)
	}
	flagged := writeCatalogFile(t, filepath.Join(t.TempDir(), "flag.yaml"), "Flag", "Data")
	if got := whose("--catalog", flagged); got != "Flag" {
		t.Errorf("with a file it is %q", got)
	}
	folder := filepath.Join(config, "kubectl-finalizers", "catalog.d")
	writeCatalogFile(t, filepath.Join(folder, "ours.yaml"), "Folder", "Data")
	writeCatalogFile(t, filepath.Join(folder, "ours.yaml.bak"), "Old", "nonsense")
	if got := whose(); got != "Folder" {
		t.Errorf("with a file in the folder it is %q", got)
	}
	if got := whose("--catalog", flagged); got != "Flag" {
		t.Errorf("with both it is %q", got)
	}
	again := writeCatalogFile(t, filepath.Join(t.TempDir(), "again.yaml"), "Later", "Data")
	if got := whose("--catalog", flagged, "--catalog", again); !strings.Contains(got, again+`:7: "acme.dev/cleanup" on Widget.shop.acme.dev is already described at `+flagged+":7") {
		t.Errorf("with two that contradict each other it is %q", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	writeCatalogFile(t, filepath.Join(config, ".config", "kubectl-finalizers", "catalog.d", "ours.yaml"), "Home", "Data")
	if got := whose(); got != "Home" {
		t.Errorf("with a file at home it is %q", got)
	}
}

// A broken file stops every command before it asks a cluster anything.
func TestBrokenCatalogFiles(t *testing.T) {
	config := emptyHome(t)
	first := writeCatalogFile(t, filepath.Join(config, "kubectl-finalizers", "catalog.d", "a.yaml"), "A", "everything")
	second := writeCatalogFile(t, filepath.Join(config, "kubectl-finalizers", "catalog.d", "b.yaml"), "B", "everything")
	want := fmt.Sprintf("error: reading a catalog file: %s:7: leak \"everything\" is none of [Nothing ClusterObjects ExternalResources Data Unknown]; %s:7: leak", first, second)
	for _, args := range [][]string{{"catalog"}, {"catalog", "rook"}} {
		out, errOut, code := runOffline(t, args...)
		if code != 1 || out != "" || !strings.HasPrefix(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%v ended with %d and printed %q, %q", args, code, out, errOut)
		}
	}
}

func TestCatalogCompletion(t *testing.T) {
	emptyHome(t)
	for args, want := range map[string]string{
		"catalog karpenter.sh/t":                         "karpenter.sh/termination\n:4\n",
		"catalog karpenter.sh/termination k":             ":4\n",
		"list --from x --finalizer karpenter.sh/t":       "karpenter.sh/termination\n:4\n",
		"catalog finalizers.fluxcd.io --type Helm":       "HelmRelease.helm.toolkit.fluxcd.io\nHelmRepository.source.toolkit.fluxcd.io\nHelmChart.source.toolkit.fluxcd.io\n:4\n",
		"catalog --type Helm":                            ":4\n",
		"list --catalog x":                               "yaml\nyml\n:8\n",
		"catalog --catalog no-such-file karpenter.sh/te": ":1\n",
	} {
		if out, _, _ := runOffline(t, append([]string{"__complete"}, strings.Fields(args)...)...); out != want {
			t.Errorf("for %s the shell is offered %q", args, out)
		}
	}
}

package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// outputScene has two objects that are stuck, and one that would be.
const outputScene = `
held() {
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"output","labels":{"app":"%s"},"finalizers":["%s"]}}' "$@" |
    kubectl create -f -
}
kubectl create namespace output
held a web one.example.com/hold
held b db two.example.com/hold
held c web one.example.com/hold
kubectl -n output delete configmap a b --wait=false
`

// outputs are arguments after "list -n output", with all that must come of them on standard out.
var outputs = []struct {
	args []string
	want string
}{
	{[]string{"-o", "name"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "jsonpath={.items[*].metadata.name}"}, "a b"},
	{[]string{"-o", "go-template={{range .items}}{{.kind}} {{.metadata.name}}: {{.diagnosis.verdict}}\n{{end}}"}, "ConfigMap a: Unknown\nConfigMap b: Unknown\n"},
	{[]string{"--template", "{{len .items}}"}, "2"},
	{[]string{"-o", "custom-columns=NAME:.metadata.name,BY:.metadata.finalizers[*]"}, "NAME   BY\na      one.example.com/hold\nb      two.example.com/hold\n"},
	{[]string{"-o", "custom-columns=NAME:.metadata.name", "--no-headers"}, "a\nb\n"},
	{[]string{"-o", "name", "-l", "app=web"}, "configmap/a\n"},
	{[]string{"-o", "name", "-l", "app in (db,cache)"}, "configmap/b\n"},
	{[]string{"-o", "name", "--finalizer", "two.example.com/*"}, "configmap/b\n"},
	{[]string{"-o", "name", "--finalizer", "*.example.com/hold"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "name", "--older-than", "0s"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "name", "--older-than", "10h"}, ""},
	{[]string{"-o", "name", "--all"}, "configmap/a\nconfigmap/b\nconfigmap/c\n"},
	{[]string{"-o", "name", "configmaps"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "name", "pods"}, ""},
	{[]string{"-o", "name", "pods,cm,secrets"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "name", "cm/b"}, "configmap/b\n"},
	{[]string{"-o", "name", "ConfigMap/b", "cm/a", "configmaps/b"}, "configmap/a\nconfigmap/b\n"},
	{[]string{"-o", "name", "cm", "b", "a"}, "configmap/a\nconfigmap/b\n"},
}

func TestListOutput(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, outputScene)
	for _, test := range outputs {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			out, errOut, code := kubectl(t, p, plane.Admin, append([]string{"finalizers", "list", "-n", "output"}, test.args...)...)
			if code != 0 || errOut != "" {
				t.Errorf("it ended with %d and said %q", code, errOut)
			}
			if diff := cmp.Diff(test.want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("tables", func(t *testing.T) { testTables(t, p) })
	t.Run("documents", func(t *testing.T) { testDocuments(t, p) })
	t.Run("names are for kubectl", func(t *testing.T) {
		runSetup(t, p, `kubectl finalizers list -n output -o name | xargs kubectl -n output get -o name | grep configmap/b`)
	})
	t.Run("nothing", func(t *testing.T) { testNothing(t, p) })
}

func testTables(t *testing.T, p *plane.Plane) {
	for format, want := range map[string][]string{
		"":                                  {"OBJECT", "SINCE", "VERDICT", "CAUSE", "BLOCKED", "BY"},
		"-o wide":                           {"OBJECT", "SINCE", "VERDICT", "CAUSE", "BLOCKED", "BY", "FINALIZERS", "CERTAINTY", "CONTROLLER", "MESSAGE"},
		"-A --finalizer *.example.com/hold": {"NAMESPACE", "OBJECT", "SINCE", "VERDICT", "CAUSE", "BLOCKED", "BY"},
	} {
		args := append([]string{"finalizers", "list", "-n", "output"}, strings.Fields(format)...)
		whole, _, _ := kubectl(t, p, plane.Admin, args...)
		header, rows, _ := strings.Cut(whole, "\n")
		if got := strings.Fields(header); !slices.Equal(got, want) {
			t.Errorf("the columns with %q are %v, want %v", format, got, want)
		}
		wantWords(t, rows, []string{"cm/a", "cm/b", "one.example.com/hold", "Unknown"})
		if bare, _, _ := kubectl(t, p, plane.Admin, append(args, "--no-headers")...); strings.Contains(bare, "OBJECT") || !strings.Contains(bare, "cm/a") {
			t.Errorf("without headers it prints:\n%s", bare)
		}
	}
}

// sameButForAges compares texts of two runs: a second may have passed between them.
var sameButForAges = cmp.Comparer(func(a, b string) bool { return maskVolatile(a) == maskVolatile(b) })

func testDocuments(t *testing.T, p *plane.Plane) {
	list := readDocument[report.StuckList](t, p, plane.Admin, "list", "-n", "output")
	if list.APIVersion != "kubectl-finalizers/v1alpha1" || list.Kind != "StuckList" || len(list.Items) != 2 || list.Gaps == nil {
		t.Errorf("the document is %+v", list)
	}
	out, _, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "-n", "output", "-o", "yaml")
	var fromYAML report.StuckList
	if err := yaml.Unmarshal([]byte(out), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, fromYAML, sameButForAges); diff != "" {
		t.Errorf("JSON and YAML differ (-json +yaml):\n%s", diff)
	}
	out, _, _ = kubectl(t, p, plane.Admin, "finalizers", "list", "-n", "output", "pods", "-o", "json")
	var none map[string]any
	if err := json.Unmarshal([]byte(out), &none); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{}, none["items"]); diff != "" {
		t.Errorf("the items of nothing (-want +got):\n%s", diff)
	}
}

// testNothing is about the words for finding nothing, which must not say more than was looked for.
func testNothing(t *testing.T, p *plane.Plane) {
	runSetup(t, p, "kubectl create namespace output-empty")
	for args, want := range map[string]string{
		"-n output-empty":            "No stuck objects found in namespace output-empty.\n",
		"-n output --older-than 10h": "No matching stuck objects found in namespace output.\n",
		"-n output pods":             "No matching stuck objects found in namespace output.\n",
		"-n output -l app=none":      "No matching stuck objects found in namespace output.\n",
	} {
		out, errOut, code := kubectl(t, p, plane.Admin, append([]string{"finalizers", "list"}, strings.Fields(args)...)...)
		if code != 0 || out != "" || errOut != want {
			t.Errorf("list %s ended with %d, printed %q and said %q", args, code, out, errOut)
		}
	}
}

func TestPlugin(t *testing.T) {
	p := sharedPlane(t)
	out, _, code := kubectl(t, p, plane.Admin, "finalizers", "version")
	if lines := strings.Split(out, "\n"); code != 0 || len(lines) != 3 || !strings.HasPrefix(lines[0], "kubectl-finalizers v") || lines[1] != "Kubernetes "+plane.Version() {
		t.Errorf("version ended with %d and printed:\n%s", code, out)
	}
	if out, errOut, code := finalizers(t, []string{"HOME=" + t.TempDir()}, "version", "--client"); code != 0 || !strings.HasPrefix(out, "kubectl-finalizers v") {
		t.Errorf("version --client needs a cluster: %d %s%s", code, out, errOut)
	}
	// Other folders of PATH may hold other plugins.
	environment := append(p.Env(plane.Admin), "PATH="+p.Bin())
	out, errOut, code := execute(t, filepath.Join(p.Bin(), "kubectl"), environment, "plugin", "list")
	if code != 0 || errOut != "" || !strings.Contains(out, filepath.Join(p.Bin(), "kubectl-finalizers")+"\n") {
		t.Errorf("plugin list ended with %d and does not show it: %s%s", code, out, errOut)
	}
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// kubectl completes the plugin with what completion kubectl --install writes: commands, flags, types, names, namespaces,
// contexts and the finalizers of the catalog.
func TestKubectlCompletesThePlugin(t *testing.T) {
	p := sharedPlane(t)
	bin := completionFolder(t)
	environment := withPath(p.Env(plane.Admin), bin)
	if _, errOut, code := execute(t, filepath.Join(p.Bin(), "kubectl"), environment, "finalizers", "completion", "kubectl", "--install"); code != 0 {
		t.Fatalf("it ended with %d: %s", code, errOut)
	}
	runSetup(t, p, `
		kubectl create namespace completed
		kubectl create configmap -n completed kept-by-completion
		kubectl patch configmap -n completed kept-by-completion --type=merge -p '{"metadata":{"finalizers":["completion.example.com/keep"]}}'
		kubectl delete configmap -n completed kept-by-completion --wait=false`)
	defer runSetup(t, p, `
		kubectl patch configmap -n completed kept-by-completion --type=merge -p '{"metadata":{"finalizers":null}}'
		kubectl delete namespace completed --wait=false`)
	for line, want := range map[string]string{
		"force-re":                               "force-remove",
		"explain --ignore-n":                     "--ignore-not-found",
		"list configm":                           "configmaps",
		"explain -n completed configmap/":        "configmap/kept-by-completion",
		"list -n complet":                        "completed",
		"list --context ":                        "plane",
		"list --finalizer kubernetes.io/pvc-pro": "kubernetes.io/pvc-protection",
		"catalog kubernetes.io/pvc-pro":          "kubernetes.io/pvc-protection",
		"list -o htm":                            "html",
	} {
		t.Run(line, func(t *testing.T) {
			out, errOut, code := execute(t, filepath.Join(p.Bin(), "kubectl"), environment, append([]string{"__complete", "finalizers"}, strings.Split(line, " ")...)...)
			first, _, _ := strings.Cut(out, "\n")
			if word, _, _ := strings.Cut(first, "\t"); code != 0 || word != want {
				t.Errorf("kubectl offers %q, not %q: %s", out, want, errOut)
			}
		})
	}
}

// completionFolder has a link to the plugin, so that nothing is written beside that of the plane.
func completionFolder(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(plugin)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(path, filepath.Join(dir, "kubectl-finalizers")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withPath puts a folder first in the PATH.
func withPath(environment []string, dir string) []string {
	for i, variable := range environment {
		if rest, ok := strings.CutPrefix(variable, "PATH="); ok {
			environment[i] = "PATH=" + dir + string(os.PathListSeparator) + rest
		}
	}
	return environment
}

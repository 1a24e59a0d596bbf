package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// runFrom is what a command line prints that reads a dump, and its exit code. Any request to a
// cluster fails the test.
func runFrom(t *testing.T, stdin string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	p := cmd.New(genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &o, ErrOut: &e}, nil)
	p.Catalog = catalogOnce
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) {
		t.Error("a dump is read, and a cluster is asked")
		return nil, os.ErrInvalid
	}
	code = p.Run(t.Context(), args)
	return o.String(), e.String(), code
}

// TestDumps compares what list and explain say of a small dump of each tool.
func TestDumps(t *testing.T) {
	emptyHome(t)
	files, err := filepath.Glob("../../testdata/dumps/*/case.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no dumps", err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c struct {
				Explain []string
				// Also are more explanations.
				Also  [][]string
				Fails bool
			}
			if err := yaml.UnmarshalStrict(text, &c); err != nil {
				t.Fatal(err)
			}
			content := filepath.Join(dir, "dump")
			if _, err := os.Stat(content); err != nil { // what "make dumps" wrote is in an archive
				content += ".tar.gz"
			}
			var screen strings.Builder
			commands := [][]string{{"list"}}
			for _, target := range append([][]string{c.Explain}, c.Also...) {
				commands = append(commands, append([]string{"explain"}, target...))
			}
			for _, args := range commands {
				screen.WriteString("$ kubectl finalizers " + strings.Join(args, " ") + " --from dump\n")
				out, errOut, code := runFrom(t, "", append(args, "--from", content)...)
				if (code != 0) != c.Fails {
					t.Errorf("%v ended with %d: %s", args, code, errOut)
				}
				screen.WriteString(strings.ReplaceAll(recording.MergeOutput(out, errOut), dir+"/", ""))
			}
			if strings.Contains(screen.String(), "aHVudGVyMg") {
				t.Error("the value of a Secret is printed")
			}
			check(t, filepath.Join(dir, "screen.txt"), screen.String())
		})
	}
}

// A dump cannot say whether the API server would accept a deletion: what would get stuck is predicted,
// and that nothing would is not.
func TestPreflightFromDump(t *testing.T) {
	emptyHome(t)
	for _, test := range []struct {
		target string
		code   int
		want   string
	}{
		{"namespace/shop", 2, "pod/web-0"},
		{"configmap/settings", 4, "not everything could be checked"},
	} {
		dump := "../../testdata/dumps/must-gather/dump"
		if test.code == 4 {
			dump = filepath.Join(t.TempDir(), "objects.yaml")
			writeFile(t, dump, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop, uid: c1}\n")
		}
		out, errOut, code := runFrom(t, "", "preflight", test.target, "-n", "shop", "--from", dump)
		if all := out + errOut; code != test.code || !strings.Contains(all, test.want) || !strings.Contains(all, "not in this dump") || !strings.HasPrefix(errOut, "as of ") && !strings.HasPrefix(errOut, "from ") {
			t.Errorf("%s ended with %d:\n%s", test.target, code, all)
		}
	}
	if _, errOut, code := runFrom(t, "{}", "preflight", "-f", "-", "--from", "-"); code != 1 || !strings.Contains(errOut, "both read standard input") {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
}

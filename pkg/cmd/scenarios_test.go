package cmd_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

var update = flag.Bool("update", false, "rewrite the golden files from the recordings")

// TestScenarios runs the commands of every story on its recording and compares
// what they print with the story's golden files.
func TestScenarios(t *testing.T) {
	emptyHome(t) // with no kubeconfig, and no finalizers of one's own
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			source, err := story.Source()
			if err != nil {
				t.Fatal(err)
			}
			for name, lines := range story.GoldenFiles() {
				check(t, filepath.Join(story.Dir, name), runLines(t, source, lines))
			}
		})
	}
}

// runLines is what a person would see who typed the command lines. What goes to
// standard error is marked.
func runLines(t *testing.T, source cluster.Source, lines [][]string) string {
	t.Helper()
	var screen strings.Builder
	for _, args := range lines {
		if len(lines) > 1 {
			screen.WriteString("$ kubectl finalizers " + strings.Join(args, " ") + "\n")
		}
		var out, errOut bytes.Buffer
		code := program(source, &out, &errOut).Run(t.Context(), args)
		if code != 0 {
			t.Errorf("%v ended with %d: %s", args, code, errOut.String())
		}
		screen.WriteString(recording.MergeOutput(out.String(), errOut.String()))
	}
	return screen.String()
}

func program(source cluster.Source, out, errOut *bytes.Buffer) cmd.Program {
	p := cmd.New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: errOut}, source.Now)
	p.Catalog = catalogOnce
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	return p
}

// catalogOnce spares every command line the reading of the catalogue.
var catalogOnce = sync.OnceValues(catalog.Load)

func check(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Errorf("%s is empty, which proves nothing", file)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
}

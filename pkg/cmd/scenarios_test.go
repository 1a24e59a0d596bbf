package cmd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
// what they print with the story's golden files. A recording may be older than a
// question of a cause that the story is not about: such a story is compared on
// the real control plane only, until it is recorded again.
func TestScenarios(t *testing.T) {
	emptyHome(t) // with no kubeconfig, and no finalizers of one's own
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	var skipped atomic.Int32
	t.Cleanup(func() {
		if n := int(skipped.Load()); n > len(stories)/2 {
			t.Errorf("%d of %d recordings lack answers: make golden records them again", n, len(stories))
		}
	})
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			source, err := story.Source()
			if err != nil {
				t.Fatal(err)
			}
			outputs, missing := runStory(t, story, source)
			if len(missing) > 0 {
				skipped.Add(1)
				checkCauses(t, filepath.Join(story.Dir, "explain.json"), outputs["explain.json"])
				t.Skipf("the recording does not answer %q, which only causes ask that the story does not prove", missing)
			}
			for name, output := range outputs {
				check(t, filepath.Join(story.Dir, name), output)
			}
		})
	}
}

// runStory is what the commands of a story print into each golden file, and the
// questions that its recording does not answer.
func runStory(t *testing.T, story recording.Scenario, source *recording.Source) (outputs map[string]string, missing []string) {
	t.Helper()
	files := story.GoldenFiles()
	explain := runLines(t, source, files["explain.json"])
	if err := story.CheckUnrecorded(explain, source.Unrecorded()); err != nil {
		t.Fatal(err)
	}
	outputs = map[string]string{}
	for name, lines := range files {
		outputs[name] = recording.Golden(name, runLines(t, source, lines))
	}
	missing = source.Unrecorded()
	if len(missing) > 0 && *update {
		t.Fatalf("the recording does not answer %q: make story NAME=%s records it again", missing, story.Name)
	}
	return outputs, missing
}

// checkCauses compares the causes of the target alone, which no gap of another cause
// changes.
func checkCauses(t *testing.T, file, got string) {
	t.Helper()
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want, have struct{ Target struct{ Causes any } }
	if err := errors.Join(json.Unmarshal(golden, &want), json.Unmarshal([]byte(got), &have)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("the causes of %s (-golden +got):\n%s", file, diff)
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

// catalogOnce spares every command line the reading of the catalog.
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

package diagnose_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// stories are the scenarios with their recordings, those of older versions of Kubernetes among them.
func stories(t *testing.T) []recording.Scenario {
	t.Helper()
	all, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// diagnose finds out why the target of a story is stuck, for somebody who may
// not ask the questions that hide names.
func diagnoseStory(t *testing.T, story recording.Scenario, source *recording.Source, hide func(question string) bool) *stuck.Diagnosis {
	t.Helper()
	source.Hide = nil
	types, gaps, err := source.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := cluster.NewView(t.Context(), source, types, gaps)
	target := targetOf(t, story, view)
	source.Hide = hide
	diagnoses, err := diagnose.Objects(t.Context(), view, known(t), []stuck.Object{target})
	if err != nil {
		t.Fatal(err)
	}
	return diagnoses[0]
}

// known is the catalog, loaded once.
func known(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var loaded = sync.OnceValues(catalog.Load)

// source answers from the recording of a story.
func source(t *testing.T, story recording.Scenario) *recording.Source {
	t.Helper()
	s, err := story.Source()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// targetOf is the object that the story explains.
func targetOf(t *testing.T, story recording.Scenario, view *cluster.View) stuck.Object {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(story.Dir, "explain.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Target struct {
			APIVersion, Kind, Namespace, Name string
			NamespaceMissing                  bool
		}
	}
	if err := json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	typ, ok := view.TypeForKind(schema.FromAPIVersionAndKind(golden.Target.APIVersion, golden.Target.Kind).GroupKind())
	if !ok {
		t.Fatalf("the recording does not know the type of %+v", golden.Target)
	}
	m := view.Metadata(typ, golden.Target.Namespace, golden.Target.Name)
	if !m.Found() {
		t.Fatalf("the recording does not hold %+v", golden.Target)
	}
	o := stuck.ObjectOf(typ, m.Value.ObjectMeta)
	o.NamespaceMissing = golden.Target.NamespaceMissing
	return o
}

// TestEveryCauseIsReachable makes sure that each cause is found in a story
// that says so, and that each story keeps its word.
func TestEveryCauseIsReachable(t *testing.T) {
	proven := map[string]bool{}
	for _, story := range stories(t) {
		var found []string
		source := source(t, story)
		for _, d := range diagnoseStory(t, story, source, nil).All() {
			for _, f := range d.Findings {
				found = append(found, f.Cause)
			}
		}
		if len(story.Causes) == 0 {
			t.Errorf("story %s proves no cause", story.Name)
		}
		for _, id := range story.Causes {
			if !slices.Contains(found, id) {
				t.Errorf("story %s is to prove %s, and only %v were found; its recording does not answer %q", story.Name, id, found, source.Unrecorded())
			}
			proven[id] = true
		}
	}
	for _, c := range diagnose.Causes() {
		if !proven[c.ID] {
			t.Errorf("no story proves %s", c.ID)
		}
	}
}

// TestCausesAreDocumented keeps the pages that are generated from the causes
// whole.
func TestCausesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range diagnose.Causes() {
		if seen[c.ID] {
			t.Errorf("two causes are called %s", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Doc.Symptoms == "" || c.Doc.Why == "" || c.Doc.Fix == "" || c.Doc.IfForced == "" {
			t.Errorf("%s does not say how it shows, why it happens, how to fix it and what force costs", c.ID)
		}
	}
}

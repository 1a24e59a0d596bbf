package schema_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/schema"
)

const root = "../.."

// schemas are all schemas, which allow no field that they do not name.
var schemas = sync.OnceValues(func() (map[string]*validator.Schema, error) {
	all, err := schema.All(root, true)
	if err != nil {
		return nil, err
	}
	compiler, out := validator.NewCompiler(), map[string]*validator.Schema{}
	for kind, each := range all {
		text, err := json.Marshal(each)
		if err != nil {
			return nil, err
		}
		parsed, err := validator.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := compiler.AddResource(kind, parsed); err != nil {
			return nil, err
		}
		if out[kind], err = compiler.Compile(kind); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// validate checks a document against the schema of its kind.
func validate(t *testing.T, text string) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	document, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	kind, _ := document.(map[string]any)["kind"].(string)
	if all[kind] == nil {
		t.Fatalf("there is no schema of a %s", kind)
	}
	if err := all[kind].Validate(document); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
}

// run is what the program prints in a story.
func run(t *testing.T, source cluster.Source, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	p := cmd.New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}, time.Now)
	p.Catalog = loadCatalog
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	if code := p.Run(t.Context(), append(args, "-o", "json")); code != 0 {
		t.Fatalf("%q ended with %d: %s", args, code, errOut.String())
	}
	return out.String()
}

var loadCatalog = sync.OnceValues(catalog.Load)

// TestStoriesFitTheirSchemas validates what list and explain print of every story.
func TestStoriesFitTheirSchemas(t *testing.T) {
	stories, err := recording.AllScenarios(filepath.Join(root, "testdata"))
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
			validate(t, run(t, source, append([]string{"list"}, story.List...)...))
			validate(t, run(t, source, append([]string{"list", "--all"}, story.List...)...))
			validate(t, run(t, source, append([]string{"explain"}, story.Explain...)...))
		})
	}
}

// TestDocumentsFitTheirSchemas validates the documents that no story has.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	object := stuck.Object{
		Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop", UID: "1",
		DeletionTime: time.Unix(1_700_000_000, 0), Finalizers: []string{"example.com/a"}, SpecFinalizers: []string{"kubernetes"},
	}
	step := removal.Step{
		Object: object, Finalizers: object.Finalizers, SpecFinalizers: object.SpecFinalizers, Verdict: stuck.ControllerGone,
		Costs: []stuck.Cost{{Leaves: stuck.LeakData, Description: "a volume"}},
	}
	plan := removal.Plan{
		Steps: []removal.Step{step}, Refusals: []removal.Refusal{{Object: object, Reason: "it is Blocked"}}, Skipped: []removal.Refusal{{Object: object}},
	}
	problem := stuck.Problem{State: stuck.Warning, Reason: "slow", Subject: stuck.Culprit{Kind: "type", Name: "pods"}}
	health := stuck.Health{
		Version: "v1.37.1", Checks: []stuck.Check{{Name: "watch", Problems: []stuck.Problem{problem}}},
		Types: []stuck.TypeHealth{{Type: "pods", ListSeconds: 1}}, Gaps: []stuck.Gap{{Source: "pods", Error: "forbidden"}},
	}
	result := removal.Report{Results: []removal.Result{{Step: step, Outcome: removal.Done}}, Gone: []stuck.Object{object}, Remaining: []stuck.Object{object}}
	clusters := []report.Cluster{{Name: "prod", Contexts: []string{"prod", "admin"}, Server: "https://10.0.0.1"}, {Name: "gone", Contexts: []string{"gone"}, Error: "connection refused"}}
	stuckDiagnosis := &stuck.Diagnosis{Object: object, Verdict: stuck.Blocked}
	screen := report.RestoreScreen{Dir: "/copies", Steps: []removal.RestoreStep{{SavedCopy: removal.SavedCopy{File: "/copies/a.yaml", Object: &unstructured.Unstructured{Object: map[string]any{"kind": "Cart"}}}, Reason: "it exists"}}}
	restored := screen
	restored.Results = []removal.RestoreResult{{Step: screen.Steps[0], Outcome: removal.Done, Message: "recreated"}}
	for name, document := range map[string]any{
		"what restore would do": report.NewRestoreDocument(screen), "what restore has done": report.NewRestoreDocument(restored),
		"an event of a watch":           report.NewStuckEvents(report.EventStuck, []*stuck.Diagnosis{stuckDiagnosis}, time.Unix(1_700_000_000, 0))[0],
		"an explanation of two objects": report.NewExplanationList([]*stuck.Diagnosis{stuckDiagnosis, stuckDiagnosis}, nil),
		"the progress of a wait":        report.NewWaitEvent(report.WaitProgress, nil, stuck.Progress{Content: []stuck.Tally{{Name: "pods", Objects: 1}}, Finalizers: []stuck.Tally{{Name: "example.com/a", Objects: 1}}, GraceEnd: time.Unix(1_700_000_000, 0)}, time.Unix(1_700_000_000, 0)),
		"the end of a wait":             report.NewWaitEvent(report.WaitDeleted, &object, stuck.Progress{}, time.Unix(1_700_000_000, 0)),
		"a plan":                        report.NewRemovalPlan(plan, "token"), "an empty plan": report.NewRemovalPlan(removal.Plan{}, ""),
		"a result": report.NewRemovalResult(result), "an empty result": report.NewRemovalResult(removal.Report{}),
		"the list of several clusters": report.JoinStuckLists(clusters, []report.StuckList{report.NewStuckList([]*stuck.Diagnosis{stuckDiagnosis}, health.Gaps), {}}),
		"preflight reports":            report.NewPreflightReportList(clusters, []report.PreflightReport{report.NewPreflightReport(preflight.Result{Outcome: preflight.GoesThrough})}),
		"health reports":               report.NewHealthReportList(clusters, []report.HealthReport{report.NewHealthReport(health)}),
		"a health report":              report.NewHealthReport(health), "an empty health report": report.NewHealthReport(stuck.Health{}),
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			validate(t, string(text))
		})
	}
	t.Run("the version", func(t *testing.T) { validate(t, run(t, nil, "version", "--client")) })
	t.Run("the catalog", func(t *testing.T) {
		validate(t, run(t, nil, "catalog"))
		validate(t, run(t, nil, "catalog", "kubernetes.io/pvc-protection"))
		validate(t, run(t, nil, "catalog", "x.example.com/y", "--type", "x.example.com"))
	})
}

// TestSchemasAreStrict holds that a document which does not fit is noticed.
func TestSchemasAreStrict(t *testing.T) {
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a field that is missing":       `{"apiVersion": "kubectl-finalizers/v1alpha1", "kind": "StuckList", "items": [], "causes": []}`,
		"a field that nobody knows":     `{"apiVersion": "kubectl-finalizers/v1alpha1", "kind": "StuckList", "items": [], "causes": [], "gaps": [], "more": 1}`,
		"a list that is absent":         `{"apiVersion": "kubectl-finalizers/v1alpha1", "kind": "StuckList", "items": [], "causes": null, "gaps": []}`,
		"a value that is none of those": `{"apiVersion": "kubectl-finalizers/v1alpha1", "kind": "StuckList", "items": [], "causes": [], "gaps": [{"source": "a", "message": "b", "reason": "forbidden"}]}`,
		"another version":               `{"apiVersion": "kubectl-finalizers/v1", "kind": "StuckList", "items": [], "causes": [], "gaps": []}`,
	} {
		document, err := validator.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := all["StuckList"].Validate(document); err == nil {
			t.Errorf("%s is taken for a StuckList", name)
		}
	}
}

package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestListHoldsEveryObject(t *testing.T) {
	local := stuckWidget("w1")
	local.Object.DeletionTime = time.Date(2026, 3, 1, 1, 30, 0, 0, time.FixedZone("here", 5400))
	document := report.NewStuckList(append([]*stuck.Diagnosis{local}, stuckWidgets(5000)...), nil)
	if len(document.Items) != 5001 {
		t.Errorf("of 5001 objects it holds %d", len(document.Items))
	}
	want := report.StuckObject{
		ListedObject: report.ListedObject{
			APIVersion: "example.com/v1", Kind: "Widget", Resource: "widgets",
			Metadata: report.ObjectMetadata{
				Namespace: "shop", Name: "w1", UID: "uid-of-w1", DeletionTimestamp: "2026-03-01T00:00:00Z", Finalizers: []string{finalizer},
			},
		},
		Diagnosis: report.ObjectDiagnosis{Verdict: stuck.Blocked, Controllers: []stuck.Controller{}, Causes: []stuck.Finding{{
			Cause: "controller-down", Message: "its controller is down", Certainty: stuck.Confirmed, Verdict: stuck.Blocked,
			BlockedBy: stuck.Culprit{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "operators", Name: "widget-operator"},
			Explains:  []string{}, Evidence: []string{}, Steps: []stuck.Step{},
		}}},
	}
	if diff := cmp.Diff(want, document.Items[0]); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
}

// Who reads a document with a program wants lists, never null.
func TestDocumentsOfNothingHaveEmptyLists(t *testing.T) {
	list, err := report.NewStuckList(nil, nil).Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	bare := report.NewExplanation(&stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1"}}, nil)
	healthy := report.NewExplanation(&stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1"}, Verdict: stuck.Progressing}, nil)
	if verdict := healthy.Target.Diagnosis.Verdict; verdict != "" {
		t.Errorf("what nobody deletes is %s", verdict)
	}
	found := report.NewExplanation(stuckWidget("w1", stuckWidget("w2")), nil)
	for _, document := range []any{list, report.NewStuckList(nil, nil), bare, found} {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "null") {
			t.Errorf("null stands in %s", text)
		}
		if !strings.Contains(string(text), `"gaps":[]`) {
			t.Errorf("no gaps stand in %s", text)
		}
	}
}

// waitedNames is each object of a document by name, as often as it stands there. Behind
// it are those that it stands for, and a mark if it was there before.
func waitedNames(waitsFor []report.WaitedObject) []string {
	var out []string
	for _, w := range waitsFor {
		name := w.Metadata.Name
		if w.Repeated {
			name += " again"
		}
		out = append(out, name)
		for _, similar := range w.Similar {
			out = append(out, similar.Name)
		}
		out = append(out, waitedNames(w.WaitsFor)...)
	}
	return out
}

func TestExplanationHoldsEveryObject(t *testing.T) {
	circle := stuckWidget("w1")
	circle.WaitsFor = []*stuck.Diagnosis{stuckWidget("w2", stuckWidget("w3", circle))}
	shared := stuckWidget("w3", stuckWidget("w4"))
	var names []string
	for _, d := range stuckWidgets(5000) {
		names = append(names, d.Object.Name)
	}
	tests := map[string]struct {
		root *stuck.Diagnosis
		want []string
	}{
		"nothing is waited for":           {root: stuckWidget("w1")},
		"a circle ends where it began":    {root: circle, want: []string{"w2", "w3", "w1 again"}},
		"what two wait for is shown once": {root: terminatingNamespace(stuckWidget("w1", shared), stuckWidget("w2", shared)), want: []string{"w1", "w3", "w4", "w2", "w3 again"}},
		"five thousand similar objects":   {root: terminatingNamespace(stuckWidgets(5000)...), want: names},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, waitedNames(report.NewExplanation(test.root, nil).WaitsFor)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
	var knots []string
	for _, name := range waitedNames(report.NewExplanation(fullMesh(30), nil).WaitsFor) {
		knots = append(knots, strings.TrimSuffix(name, " again"))
	}
	slices.Sort(knots)
	if got := len(slices.Compact(knots)); got != 30 {
		t.Errorf("of a net of 30 there are %d", got)
	}
}

func TestExplanationNamesEachOpenCauseOnce(t *testing.T) {
	open := []stuck.OpenCause{{Cause: "node-lost", Source: "nodes"}}
	root := terminatingNamespace(stuckWidgets(3)...)
	root.NotRuledOut = open
	for _, d := range root.WaitsFor {
		d.NotRuledOut = open
	}
	if diff := cmp.Diff(open, report.NewExplanation(root, nil).NotRuledOut); diff != "" {
		t.Errorf("open causes (-want +got):\n%s", diff)
	}
}

package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// abandoned is a widget whose controller is gone. The finding names the widget that
// stands for all of the namespace.
func abandoned(namespace, name string) *stuck.Diagnosis {
	d := stuckWidget(name)
	d.Object.Namespace, d.Verdict = namespace, stuck.ControllerGone
	d.Findings = []stuck.Finding{{
		Cause: "controller-gone", Message: "the controller of example.com/cleanup is gone", Certainty: stuck.Likely, Verdict: stuck.ControllerGone,
		HoldsWithoutProbe: true, Explains: []string{finalizer}, BlockedBy: stuck.Culprit{Kind: "Widget", Namespace: namespace, Name: "first"},
	}}
	return d
}

// causeRows are the rows of root causes, those columns of them that are always shown.
func causeRows(t *testing.T, diagnoses []*stuck.Diagnosis, options report.TableOptions) []string {
	t.Helper()
	options.Now = now
	return rows(t, report.CauseTable(report.RootCauses(diagnoses), options), "Since", "Objects", "Verdict", "Cause", "Blocked By", "Affects")
}

func TestRootCausesCountWhatWaits(t *testing.T) {
	widgets := stuckWidgets(3)
	waiting := terminatingNamespace(widgets...)
	waiting.Object.DeletionTime = now.Add(-50 * time.Hour)
	elsewhere := stuckWidget("w9")
	elsewhere.Object.Namespace = "office"
	both := abandoned("shop", "both")
	both.Findings = append(both.Findings, stuckWidget("").Findings...)
	both.Verdict = stuck.Blocked
	all := append([]*stuck.Diagnosis{waiting, elsewhere, both, abandoned("a", "x"), abandoned("b", "y")}, widgets...)
	want := []string{
		"2d2h | 6 | Blocked | controller-down | deployment/widget-operator -n operators | namespace/shop, widget.example.com/w9 -n office, 4 widgets.example.com -n shop",
		"3h | 3 | ControllerGone | controller-gone | example.com/cleanup | widget.example.com/x -n a, widget.example.com/y -n b, widget.example.com/both -n shop",
	}
	if diff := cmp.Diff(want, causeRows(t, all, report.TableOptions{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestRootCausesOfWhatIsNotExplained(t *testing.T) {
	unknown := func(name string) *stuck.Diagnosis {
		d := stuckWidget(name)
		d.Verdict, d.Findings, d.Unexplained = stuck.Unknown, nil, []string{finalizer}
		return d
	}
	uncertain := abandoned("shop", "uncertain")
	uncertain.Verdict, uncertain.NotRuledOut = stuck.Unknown, []stuck.OpenCause{{Cause: "write-forbidden", Source: "roles"}}
	first, second := terminatingNamespace(), terminatingNamespace()
	first.WaitsFor, second.WaitsFor = []*stuck.Diagnosis{second}, []*stuck.Diagnosis{first}
	alive := stuckWidget("alive")
	alive.Object.DeletionTime = time.Time{}
	tests := map[string]struct {
		of   []*stuck.Diagnosis
		want []string
	}{
		"nothing is found":      {of: []*stuck.Diagnosis{unknown("w1"), unknown("w2")}, want: []string{"3h | 2 | Unknown | - | example.com/cleanup | 2 widgets.example.com -n shop"}},
		"it is not established": {of: []*stuck.Diagnosis{uncertain}, want: []string{"3h | 1 | Unknown | controller-gone | example.com/cleanup | widget.example.com/uncertain -n shop"}},
		"they wait in a circle": {of: []*stuck.Diagnosis{first}, want: []string{"60m | 1 | Blocked | content-held | - | namespace/shop"}},
		"nobody deletes it":     {of: []*stuck.Diagnosis{alive}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, causeRows(t, test.of, report.TableOptions{})); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// Each of many namespaces is named with -o wide.
func TestRootCausesNameAllPlaces(t *testing.T) {
	var all []*stuck.Diagnosis
	for i := range 5 {
		all = append(all, abandoned(fmt.Sprintf("ns-%d", i), "w"))
	}
	for wide, want := range map[bool]string{
		false: "3h | 5 | ControllerGone | controller-gone | example.com/cleanup | widget.example.com/w -n ns-0, widget.example.com/w -n ns-1, widget.example.com/w -n ns-2 and 2 more",
		true:  "3h | 5 | ControllerGone | controller-gone | example.com/cleanup | widget.example.com/w -n ns-0, widget.example.com/w -n ns-1, widget.example.com/w -n ns-2, widget.example.com/w -n ns-3, widget.example.com/w -n ns-4",
	} {
		if diff := cmp.Diff([]string{want}, causeRows(t, all, report.TableOptions{Wide: wide})); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
}

func TestMoreCausesAreCounted(t *testing.T) {
	waiting := terminatingNamespace(stuckWidget("w1"), abandoned("shop", "w2"), abandoned("shop", "w3"))
	waiting.Findings[0].WaitsFor = []stuck.Object{waiting.WaitsFor[0].Object, waiting.WaitsFor[1].Object, waiting.WaitsFor[2].Object, terminatingNamespace().Object}
	want := []string{"content-held +1 | 1 namespace, 3 widgets.example.com"}
	if diff := cmp.Diff(want, rows(t, report.Table([]*stuck.Diagnosis{waiting}, report.TableOptions{Now: now}), "Cause", "Blocked By")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestSummary(t *testing.T) {
	waiting := terminatingNamespace(stuckWidgets(1)...)
	grace := stuckWidget("grace")
	grace.Object.DeletionTime = now.Add(time.Minute)
	tests := map[string]struct {
		of   []*stuck.Diagnosis
		want []string
	}{
		"nothing":                      {},
		"an object that has time left": {of: []*stuck.Diagnosis{grace}},
		"one object":                   {of: stuckWidgets(1), want: []string{"1 object is stuck in Terminating (oldest 3h): 1 root cause is Blocked."}},
		"one cause":                    {of: stuckWidgets(20), want: []string{"20 objects are stuck in Terminating (oldest 3h): 1 root cause is Blocked."}},
		"two causes": {
			of: []*stuck.Diagnosis{waiting, waiting.WaitsFor[0], abandoned("shop", "w2"), grace},
			want: []string{
				"3 objects are stuck in Terminating (oldest 3h): 1 root cause is Blocked, 1 ControllerGone.",
				"Top root causes: deployment/widget-operator -n operators (2 objects). All: --by=cause",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, report.SummaryLines(test.of, report.TableOptions{Now: now})); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

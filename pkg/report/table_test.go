package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// rows are the cells of these columns, a line for each row.
func rows(t *testing.T, table *metav1.Table, columns ...string) []string {
	t.Helper()
	var out []string
	for _, row := range table.Rows {
		if len(row.Cells) != len(table.ColumnDefinitions) {
			t.Fatalf("%d cells stand under %d columns", len(row.Cells), len(table.ColumnDefinitions))
		}
		var cells []string
		for _, name := range columns {
			for i, column := range table.ColumnDefinitions {
				if column.Name == name {
					cells = append(cells, fmt.Sprint(row.Cells[i]))
				}
			}
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

func TestTableFoldsSimilarObjects(t *testing.T) {
	all := append(stuckWidgets(stuck.MaxUngrouped+1), terminatingNamespace())
	all[3].Object.DeletionTime = now.Add(-50 * time.Hour)
	elsewhere := stuckWidget("w9")
	elsewhere.Object.Namespace = "office"
	table := report.Table(append(all, elsewhere), report.TableOptions{Now: now, WithNamespace: true})
	want := []string{
		"shop | 6 widgets.example.com | 2d2h | Blocked | controller-down | deployment/widget-operator -n operators | example.com/cleanup | its controller is down",
		"- | namespace/shop | 60m | Blocked | content-held | widget.example.com/w1 -n shop | - | it still holds objects",
		"office | widget.example.com/w9 | 3h | Blocked | controller-down | deployment/widget-operator -n operators | example.com/cleanup | its controller is down",
	}
	if diff := cmp.Diff(want, rows(t, table, "Namespace", "Object", "Since", "Verdict", "Cause", "Blocked By", "Finalizers", "Message")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if n := len(report.Table(stuckWidgets(5000), report.TableOptions{Now: now}).Rows); n != 1 {
		t.Errorf("five thousand similar objects take %d rows", n)
	}
}

func TestTableOfOneNamespaceDoesNotNameIt(t *testing.T) {
	for _, column := range report.Table(stuckWidgets(1), report.TableOptions{Now: now}).ColumnDefinitions {
		if column.Name == "Namespace" {
			t.Error("it does")
		}
	}
}

// What does not fit on a narrow terminal is shown with -o wide alone.
func TestWideColumns(t *testing.T) {
	table := report.Table([]*stuck.Diagnosis{stuckWidget("w1"), {Object: stuckWidget("w2").Object}}, report.TableOptions{Now: now})
	var narrow, wide []string
	for _, column := range table.ColumnDefinitions {
		if wide = append(wide, column.Name); column.Priority == 0 {
			narrow = append(narrow, column.Name)
		}
	}
	if got, want := strings.Join(narrow, " "), "Object Since Verdict Cause Blocked By"; got != want {
		t.Errorf("the columns are %s, not %s", got, want)
	}
	if got, want := strings.Join(wide, " "), "Object Since Verdict Cause Blocked By Finalizers Certainty Controller Message"; got != want {
		t.Errorf("the columns with -o wide are %s, not %s", got, want)
	}
	want := []string{"example.com/cleanup | Confirmed | - | its controller is down", "example.com/cleanup | - | - | not known"}
	if diff := cmp.Diff(want, rows(t, table, "Finalizers", "Certainty", "Controller", "Message")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// The names of objects that share a row are within reach.
func TestWideRowsNameSimilarObjects(t *testing.T) {
	table := report.Table(stuckWidgets(stuck.MaxUngrouped+1), report.TableOptions{Now: now, Wide: true})
	if diff := cmp.Diff([]string{"6 widgets.example.com (w0, w1, w2 and 3 more)"}, rows(t, table, "Object")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A watch says when something has happened, and of an object that is gone no more than that.
func TestRowsOfEvents(t *testing.T) {
	for event, want := range map[report.Event]string{
		report.EventStuck: "03:00:00Z | STUCK | widget.example.com/w1 | 3h | Blocked | controller-down | deployment/widget-operator -n operators | its controller is down",
		report.EventGone:  "03:00:00Z | GONE | widget.example.com/w1 | 3h | - | - | - | -",
	} {
		table := report.Table([]*stuck.Diagnosis{stuckWidget("w1")}, report.TableOptions{Now: now.In(time.FixedZone("elsewhere", 3600)), Event: event})
		if diff := cmp.Diff([]string{want}, rows(t, table, "Time", "Event", "Object", "Since", "Verdict", "Cause", "Blocked By", "Message")); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
}

func TestRowsOfWhatIsNotExplained(t *testing.T) {
	object := stuckWidget("w1").Object
	notDeleted, inGrace, system := object, object, terminatingNamespace().Object
	notDeleted.DeletionTime = time.Time{}
	inGrace.DeletionTime = now.Add(time.Minute)
	system.SpecFinalizers, system.Finalizers = []string{"kubernetes"}, []string{"example.com/a"}
	tests := map[string]struct {
		of   *stuck.Diagnosis
		want string
	}{
		"nobody deletes it": {
			of:   &stuck.Diagnosis{Object: notDeleted, Verdict: stuck.Unknown},
			want: "example.com/cleanup | - | - | - | - | not being deleted",
		},
		"it is within its grace period": {
			of:   &stuck.Diagnosis{Object: inGrace, Verdict: stuck.Progressing},
			want: "example.com/cleanup | 0s | Progressing | - | - | within its grace period",
		},
		"a finalizer is not explained": {
			of:   &stuck.Diagnosis{Object: object, Verdict: stuck.Unknown, Unexplained: object.Finalizers},
			want: "example.com/cleanup | 3h | Unknown | - | example.com/cleanup | waits for example.com/cleanup, whose controller is not known",
		},
		"a namespace shows both of its lists": {
			of:   &stuck.Diagnosis{Object: system, Verdict: stuck.Unknown},
			want: "spec:kubernetes,example.com/a | 60m | Unknown | - | - | not known",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := rows(t, report.Table([]*stuck.Diagnosis{test.of}, report.TableOptions{Now: now}), "Finalizers", "Since", "Verdict", "Cause", "Blocked By", "Message")
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

// listGap is the gap of a type that could not be listed.
func listGap(resource, namespace, text string) stuck.Gap {
	return stuck.Gap{
		Source: resource + stuck.InNamespace(namespace), Error: text,
		Type: schema.GroupResource{Resource: resource}, Namespace: namespace,
	}
}

func TestGapsFold(t *testing.T) {
	forbidden := func(n int) []stuck.Gap {
		var out []stuck.Gap
		for i := range n {
			out = append(out, listGap(fmt.Sprintf("type%d", i), "", "forbidden"))
		}
		return out
	}
	stale := stuck.Gap{Source: "/apis/example.com/v1", Error: "stale"}
	tests := map[string]struct {
		gaps []stuck.Gap
		want []string
	}{
		"none": {},
		"a handful has a line each": {
			gaps: forbidden(stuck.MaxUngrouped),
			want: []string{"type0: forbidden", "type1: forbidden", "type2: forbidden", "type3: forbidden", "type4: forbidden"},
		},
		"one more, and they share one": {
			gaps: append([]stuck.Gap{stale}, forbidden(stuck.MaxUngrouped+1)...),
			want: []string{"/apis/example.com/v1: stale", "6 sources: forbidden: type0, type1, type2, type3, type4, type5"},
		},
		"a type that cannot be read at all is named once": {
			gaps: append(forbidden(2), listGap("type1", "a", "forbidden"), listGap("type0", "a", "no answer in time")),
			want: []string{"type0: forbidden", "type1: forbidden", "type0 -n a: no answer in time"},
		},
		"an object is not read with its type": {
			gaps: []stuck.Gap{{Source: "pod/web", Error: "forbidden"}, {Source: "pod/web -n a", Error: "forbidden"}},
			want: []string{"pod/web: forbidden", "pod/web -n a: forbidden"},
		},
		"all are named as long as they can be read": {
			gaps: forbidden(11),
			want: []string{"11 sources: forbidden: type0, type1, type2, type3, type4, type5, type6, type7, type8, type9, type10"},
		},
		"some of very many are named": {
			gaps: forbidden(200),
			want: []string{"200 sources: forbidden: type0, type1, type2, type3, type4, type5, type6, type7, type8, type9 and 190 more (-o json names them all)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, report.GapLines(test.gaps)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// A name that holds a tab or a line break stays in its column and its row.
func TestNamesForgeNoColumns(t *testing.T) {
	d := stuckWidget("w1\texample.com/hold\t3d\tControllerGone\tno controller")
	d.Object.Namespace = "shop\n"
	d.Object.Finalizers = []string{"a\u2028b"}
	d.Findings[0].BlockedBy.Name = "x\ty"
	table := report.Table([]*stuck.Diagnosis{d}, report.TableOptions{Now: now, WithNamespace: true})
	want := []string{`shop\u000a | widget.example.com/w1\u0009example.com/hold\u00093d\u0009ControllerGone\u0009no controller | a\u2028b`}
	if diff := cmp.Diff(want, rows(t, table, "Namespace", "Object", "Finalizers")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := rows(t, table, "Blocked By")[0]; !strings.Contains(got, `x\u0009y`) {
		t.Errorf("what blocks it is %q", got)
	}
	health := report.HealthTable([]stuck.TypeHealth{{Type: "widgets\tok", List: "a\nb"}})
	if got := rows(t, health, "Type")[0]; got != `widgets\u0009ok` {
		t.Errorf("the type is %q", got)
	}
	gaps := report.GapLines([]stuck.Gap{{Source: "widgets\nerror: all is well", Error: "bad\ngateway"}})
	if diff := cmp.Diff([]string{`widgets\u000aerror: all is well: bad\u000agateway`}, gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

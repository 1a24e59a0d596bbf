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

func TestTableFoldsWhatIsAlike(t *testing.T) {
	all := append(stuckWidgets(stuck.MaxUngrouped+1), terminatingNamespace())
	all[3].Object.DeletionTime = now.Add(-50 * time.Hour)
	elsewhere := stuckWidget("w9")
	elsewhere.Object.Namespace = "office"
	table := report.Table(append(all, elsewhere), now, true)
	want := []string{
		"shop | 6 widgets.example.com | example.com/cleanup | 2d2h | Blocked | its controller is down",
		" | namespace/shop | - | 60m | Blocked | it still holds objects",
		"office | widget.example.com/w9 | example.com/cleanup | 3h | Blocked | its controller is down",
	}
	if diff := cmp.Diff(want, rows(t, table, "Namespace", "Object", "Finalizers", "Stuck", "Verdict", "Cause")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if n := len(report.Table(stuckWidgets(5000), now, false).Rows); n != 1 {
		t.Errorf("five thousand that are alike take %d rows", n)
	}
}

func TestTableOfOneNamespaceDoesNotNameIt(t *testing.T) {
	for _, column := range report.Table(stuckWidgets(1), now, false).ColumnDefinitions {
		if column.Name == "Namespace" {
			t.Error("it does")
		}
	}
}

// What does not fit on a narrow terminal is shown with -o wide alone.
func TestWideColumns(t *testing.T) {
	table := report.Table([]*stuck.Diagnosis{stuckWidget("w1"), {Object: stuckWidget("w2").Object}}, now, false)
	priority := map[string]int32{}
	for _, column := range table.ColumnDefinitions {
		priority[column.Name] = column.Priority
	}
	for _, name := range []string{"Object", "Finalizers", "Stuck", "Verdict", "Cause"} {
		if p, ok := priority[name]; !ok || p != 0 {
			t.Errorf("column %s has priority %d, %t", name, p, ok)
		}
	}
	for _, name := range []string{"Culprit", "Certainty"} {
		if priority[name] == 0 {
			t.Errorf("column %s is always shown", name)
		}
	}
	want := []string{"deployment/widget-operator -n operators | Confirmed", "- | -"}
	if diff := cmp.Diff(want, rows(t, table, "Culprit", "Certainty")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
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
			want: "example.com/cleanup | - | not being deleted",
		},
		"it is within its grace period": {
			of:   &stuck.Diagnosis{Object: inGrace, Verdict: stuck.Progressing},
			want: "example.com/cleanup | 0s | within its grace period",
		},
		"a namespace shows both of its lists": {
			of:   &stuck.Diagnosis{Object: system, Verdict: stuck.Unknown},
			want: "spec:kubernetes,example.com/a | 60m | not known",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := rows(t, report.Table([]*stuck.Diagnosis{test.of}, now, false), "Finalizers", "Stuck", "Cause")
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
	d := stuckWidget("w1\texample.com/hold\t3d\tOrphaned\tnobody is left")
	d.Object.Namespace = "shop\n"
	d.Object.Finalizers = []string{"a\u2028b"}
	d.Findings[0].BlockedBy.Name = "x\ty"
	table := report.Table([]*stuck.Diagnosis{d}, now, true)
	want := []string{`shop\u000a | widget.example.com/w1\u0009example.com/hold\u00093d\u0009Orphaned\u0009nobody is left | a\u2028b`}
	if diff := cmp.Diff(want, rows(t, table, "Namespace", "Object", "Finalizers")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if culprit := rows(t, table, "Culprit")[0]; !strings.Contains(culprit, `x\u0009y`) {
		t.Errorf("the culprit is %q", culprit)
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

package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	now       = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	widget    = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	namespace = stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}
)

const finalizer = "example.com/cleanup"

// stuckWidget is blocked since three hours.
func stuckWidget(name string, waitsFor ...*stuck.Diagnosis) *stuck.Diagnosis {
	return &stuck.Diagnosis{
		Object: stuck.Object{
			Type: widget, Namespace: "shop", Name: name, UID: types.UID("uid-of-" + name),
			DeletionTime: now.Add(-3 * time.Hour), Finalizers: []string{finalizer},
		},
		Verdict: stuck.Blocked,
		Findings: []stuck.Finding{{
			Cause: "controller-down", Message: "its controller is down", Certainty: stuck.Confirmed, Verdict: stuck.Blocked,
			BlockedBy: stuck.Culprit{Kind: "Deployment", Namespace: "operators", Name: "widget-operator"},
		}},
		WaitsFor: waitsFor,
	}
}

// terminatingNamespace is a namespace that waits for others.
func terminatingNamespace(waitsFor ...*stuck.Diagnosis) *stuck.Diagnosis {
	return &stuck.Diagnosis{
		Object:   stuck.Object{Type: namespace, Name: "shop", UID: "uid-of-shop", DeletionTime: now.Add(-time.Hour)},
		Verdict:  stuck.Blocked,
		Findings: []stuck.Finding{{Cause: "content-held", Message: "it still holds objects", Certainty: stuck.Confirmed, WaitsFor: []stuck.Object{stuckWidget("w1").Object}}},
		WaitsFor: waitsFor,
	}
}

func stuckWidgets(n int) []*stuck.Diagnosis {
	var out []*stuck.Diagnosis
	for i := range n {
		out = append(out, stuckWidget(fmt.Sprintf("w%d", i)))
	}
	return out
}

// fullMesh is a net of so many knots, each of which waits for all others. There are
// more ways through it than there is time.
func fullMesh(knots int) *stuck.Diagnosis {
	all := stuckWidgets(knots)
	for _, d := range all {
		for _, other := range all {
			if d != other {
				d.WaitsFor = append(d.WaitsFor, other)
			}
		}
	}
	return all[0]
}

func explanationText(t *testing.T, root *stuck.Diagnosis, gaps ...stuck.Gap) string {
	t.Helper()
	return screenText(t, report.Screen{Root: root, Gaps: gaps, Now: now})
}

func screenText(t *testing.T, s report.Screen) string {
	t.Helper()
	return output(t, func(out io.Writer) error { return report.ExplanationText(out, s) })
}

func output(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

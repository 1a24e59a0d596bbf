package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// withManyFinalizers is an object with finalizers of which each has a finding of its own, or none.
func withManyFinalizers(n int, explained bool) *stuck.Diagnosis {
	d := stuckWidget("big")
	o := d.Object
	o.Finalizers = nil
	var findings []stuck.Finding
	for i := range n {
		name := fmt.Sprintf("example.com/finalizer-%d", i)
		o.Finalizers = append(o.Finalizers, name)
		findings = append(findings, stuck.Finding{
			Cause: "controller-gone", Message: "no controller is left for " + name, Verdict: stuck.ControllerGone, Certainty: stuck.Likely, Explains: []string{name}, BlockedBy: o.Culprit(),
			Evidence: []string{"no workload was found that could be the controller of " + name, "no controller watches widgets"},
			Steps:    []stuck.Step{{Action: stuck.ActionChange, Description: "reinstall the controller of " + name}}, OnForce: stuck.UnknownCost(name),
		})
	}
	if !explained {
		findings = nil
	}
	d = stuck.NewDiagnosis(o, findings, nil)
	for _, name := range d.Unexplained {
		d.Controllers = append(d.Controllers, stuck.Controller{Finalizer: name, Clues: []string{"field manager shop set the finalizer"}})
	}
	d.Conclude()
	return d
}

// Of thousands of finalizers of one object the screens name the first, and count the others: all are in the documents.
func TestScreensOfManyFinalizers(t *testing.T) {
	const n = 2000
	for _, explained := range []bool{true, false} {
		d := withManyFinalizers(n, explained)
		text := screenText(t, report.Screen{Root: d, Now: now})
		if lines := strings.Count(text, "\n"); lines > 60 {
			t.Errorf("explained: %t: the explanation has %d lines", explained, lines)
		}
		words := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{
			"example.com/finalizer-0, example.com/finalizer-1, example.com/finalizer-2 and 1997 more", "example.com/finalizer-9 (its controller is not known) and 1990 more (-o json has all)",
		} {
			if !strings.Contains(words, want) {
				t.Errorf("explained: %t: it does not say %q:\n%s", explained, want, text)
			}
		}
		if strings.Contains(words, "causes") {
			t.Errorf("explained: %t: it counts one cause several times:\n%s", explained, text)
		}
		all := []*stuck.Diagnosis{d}
		for _, row := range report.Table(all, report.TableOptions{Now: now, WithNamespace: true, Wide: true}).Rows {
			if text := fmt.Sprint(row.Cells); len(text) > 700 {
				t.Errorf("explained: %t: a row has %d characters: %s", explained, len(text), text)
			}
		}
		if causes := report.RootCauses(all); len(causes) != 1 {
			t.Errorf("explained: %t: it has %d root causes", explained, len(causes))
		}
		list := report.NewStuckList(all, nil)
		if item := list.Items[0]; len(item.Metadata.Finalizers) != n || len(item.Diagnosis.Causes)+len(item.Diagnosis.Controllers) != n || len(list.Causes[0].Finalizers) != n {
			t.Errorf("explained: %t: the document has %d causes and %d controllers", explained, len(item.Diagnosis.Causes), len(item.Diagnosis.Controllers))
		}
	}
}

// A few are named each, and have causes of their own.
func TestScreensOfAFewFinalizers(t *testing.T) {
	text := screenText(t, report.Screen{Root: withManyFinalizers(stuck.MaxUngrouped, true), Now: now})
	if strings.Contains(text, " more") || !strings.Contains(text, "for 5 causes") {
		t.Error(text)
	}
}

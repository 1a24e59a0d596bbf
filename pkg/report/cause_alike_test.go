package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// abandonedObjects are two objects of each of many types, whose controllers are gone.
func abandonedObjects(types int, change func(i int, f *stuck.Finding)) []*stuck.Diagnosis {
	held := unexplainedObjects(types, func(i int) string { return fmt.Sprintf("f%d.example.com/hold", i) })
	for i, d := range held {
		f := d.Unexplained[0]
		d.Verdict, d.Unexplained, d.Controllers = stuck.ControllerGone, nil, nil
		d.Findings = []stuck.Finding{{
			Cause: "controller-gone", Message: "no controller is left for " + f, Certainty: stuck.Likely, Verdict: stuck.ControllerGone, BlockedBy: d.Object.Culprit(), Explains: []string{f},
			Evidence: []string{"no controller watches " + d.Object.Type.String()},
			Steps: []stuck.Step{
				{Action: stuck.ActionChange, Description: "reinstall the controller of " + f},
				{Action: stuck.ActionCheck, Description: "see what " + d.Object.Ref() + " stands for", Command: "kubectl describe " + d.Object.Ref()},
			},
			OnForce: stuck.UnknownCost(f),
		}}
		change(i/2, &d.Findings[0])
	}
	return held
}

func blocksOfMany(t *testing.T, held []*stuck.Diagnosis) (text, words string) {
	t.Helper()
	root := terminatingNamespace(held...)
	root.Verdict = stuck.ControllerGone
	text = explanationText(t, root)
	return text, strings.Join(strings.Fields(text), " ")
}

// What is said of objects of many types alike, but for names, is said once. A line that some do not have stays theirs.
func TestCausesThatDifferInNamesHaveOneBlock(t *testing.T) {
	text, words := blocksOfMany(t, abandonedObjects(200, func(i int, f *stuck.Finding) {
		if i == 1 {
			f.Evidence = append(f.Evidence, "it set "+f.Explains[0])
		}
	}))
	for _, want := range []string{
		"namespace/shop is stuck because of kind0.lots.example.com/a, kind0.lots.example.com/b, kind1.lots.example.com/a and 397 more: " +
			"no controller is left for f0.example.com/hold, f1.example.com/hold, f2.example.com/hold and 197 more (likely).",
		"- no controller watches kind0s.lots.example.com, kind1s.lots.example.com, kind2s.lots.example.com and 197 more " +
			"- kind1.lots.example.com/a, kind1.lots.example.com/b: it set f1.example.com/hold a) change",
		"a) change: reinstall the controller of f0.example.com/hold, f1.example.com/hold, f2.example.com/hold and 197 more b) check: " +
			"see what kind0.lots.example.com/a stands for (and similarly for 399 other objects) kubectl describe kind0.lots.example.com/a Force",
		"unknown cleanup by the controller of f0.example.com/hold, f1.example.com/hold, f2.example.com/hold and 197 more is skipped",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "[2]") || strings.Count(text, "\n") > 60 {
		t.Errorf("it has more than one cause, or %d lines:\n%s", strings.Count(text, "\n"), text)
	}
}

// What differs in more than names is not said to be the same.
func TestCausesThatDifferInMore(t *testing.T) {
	for name, change := range map[string]func(i int, f *stuck.Finding){
		"in what is said": func(i int, f *stuck.Finding) { f.Message += fmt.Sprintf(" since %d days", i) },
		"in what is to blame": func(i int, f *stuck.Finding) {
			f.BlockedBy = stuck.Culprit{Kind: "Deployment", Name: fmt.Sprintf("op%d", i)}
		},
		"in what to do":           func(i int, f *stuck.Finding) { f.Steps[0].Description += fmt.Sprintf(" in version %d", i) },
		"in the name of a third":  func(i int, f *stuck.Finding) { f.Message = fmt.Sprintf("f%d.example.com/holder is gone", i) },
		"in the command to paste": func(i int, f *stuck.Finding) { f.Steps[1].Command += fmt.Sprintf(" --context c%d", i) },
	} {
		if text, words := blocksOfMany(t, abandonedObjects(7, change)); !strings.Contains(words, "for 7 causes.") {
			t.Errorf("%s: the causes are not 7:\n%s", name, text)
		}
	}
}

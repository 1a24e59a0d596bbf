package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What holds of several finalizers of an object is told once, and what holds of
// some of them names these.
func TestEachReasonIsToldOnce(t *testing.T) {
	down := func(finalizer, summary, evidence string) stuck.Finding {
		return stuck.Finding{
			Cause: "controller-down", Message: summary, Certainty: stuck.Confirmed, Verdict: stuck.Blocked,
			Explains: []string{finalizer}, Evidence: []string{"0 of 1 ready", evidence}, Steps: []stuck.Step{{Action: stuck.ActionChange, Description: "start it"}},
		}
	}
	tests := map[string]struct {
		finalizers []string
		findings   []stuck.Finding
		want       string
	}{
		"one controller for both": {
			finalizers: []string{"a", "b"},
			findings:   []stuck.Finding{down("a", "op is down", "it set a"), down("b", "op is down", "it set b")},
			want: `1 cause

  op is down
    0 of 1 ready
    it set a
    it set b

Do this first
  start it
`,
		},
		"one controller for two of three, another for the third": {
			finalizers: []string{"a", "b", "c"},
			findings:   []stuck.Finding{down("a", "op is down", "x"), down("c", "other is down", "x"), down("b", "op is down", "x")},
			want: `2 causes

  a and b: op is down
    0 of 1 ready
    x

  c: other is down
    0 of 1 ready
    x

Do this first
  start it
`,
		},
		"it names the finalizer itself": {
			finalizers: []string{"a", "b"},
			findings:   []stuck.Finding{down("a", "the controller of a is down", "x")},
			want: `1 cause

  the controller of a is down
    0 of 1 ready
    x

Do this first
  start it
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: test.finalizers}
			d := &stuck.Diagnosis{Object: object, Verdict: stuck.Blocked, Findings: test.findings}
			var out bytes.Buffer
			if err := report.ExplanationText(&out, d, nil, now); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("widget.example.com/w1 has been Terminating for 60m: blocked, "+test.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What force costs is that of every finalizer, also of an object that something
// else waits for.
func TestTheCostOfEachIsTold(t *testing.T) {
	down := func(finalizer string, leak stuck.Leak) stuck.Finding {
		return stuck.Finding{
			Cause: "controller-down", Message: "op is down", Verdict: stuck.Blocked, Explains: []string{finalizer},
			OnForce: stuck.Cost{Leaves: leak, Description: "what " + finalizer + " stands for"},
		}
	}
	held := &stuck.Diagnosis{
		Object:   stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b"}},
		Findings: []stuck.Finding{down("a", stuck.LeakNothing), down("b", stuck.LeakData)},
	}
	root := &stuck.Diagnosis{
		Object:   stuck.Object{Type: widget, Name: "w0", DeletionTime: now.Add(-time.Hour)},
		WaitsFor: []*stuck.Diagnosis{held},
	}
	var out bytes.Buffer
	if err := report.ExplanationText(&out, root, nil, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nothing: what a stands for", "data: what b stands for"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
}

// Of a finalizer that nothing explains no more is said than is known of its own
// controller.
func TestUnexplainedFinalizersHaveTheirOwnControllers(t *testing.T) {
	owner := &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: "op"}
	d := &stuck.Diagnosis{
		Object:      stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b", "c", "d"}},
		Verdict:     stuck.Unknown,
		Unexplained: []string{"b", "c", "d"},
		Controllers: []stuck.Controller{
			{Finalizer: "a", Workload: owner, Running: stuck.NotRunning},
			{Finalizer: "b"},
			{Finalizer: "d", Clues: []string{"set by hand"}},
			{Finalizer: "c", Workload: owner, Running: stuck.Running},
		},
	}
	var out bytes.Buffer
	if err := report.ExplanationText(&out, d, nil, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"widget.example.com/w1 waits for finalizer b and d, whose controller is not known\n    d: set by hand\n",
		"widget.example.com/w1 waits for finalizer c, and its controller deployment/op -n sys runs, and has not taken it off\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}

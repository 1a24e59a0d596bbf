package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// orphanedWidget is w1, whose controller is gone.
func orphanedWidget() *stuck.Diagnosis {
	d := stuckWidget("w1")
	d.Verdict = stuck.ControllerGone
	d.Findings[0] = stuck.Finding{Cause: "controller-gone", Message: "the controller of " + finalizer + " is gone", Certainty: stuck.Likely, Verdict: stuck.ControllerGone}
	return d
}

// The first line says what is wrong and why, in the words of the verdict.
func TestAnswer(t *testing.T) {
	inDeletedNamespace := stuckWidget("w1")
	inDeletedNamespace.Object.NamespaceMissing, inDeletedNamespace.Object.DeletionTime = true, time.Time{}
	unexplained := stuckWidget("w1")
	unexplained.Verdict, unexplained.Findings, unexplained.Unexplained = stuck.Unknown, nil, []string{finalizer}
	progressing := terminatingNamespace()
	progressing.Verdict = stuck.Progressing
	progressing.Findings = []stuck.Finding{{Message: "the namespace controller has just begun", Verdict: stuck.Progressing, Certainty: stuck.Confirmed}}
	doubtful := orphanedWidget()
	doubtful.Verdict, doubtful.NotRuledOut = stuck.Unknown, []stuck.OpenCause{{Cause: "node-lost", Source: "nodes"}}
	gone := terminatingNamespace(orphanedWidget())
	gone.Verdict = stuck.ControllerGone
	second := stuckWidget("w2")
	second.Findings[0].Message = "the webhook is down"
	several := terminatingNamespace(orphanedWidget(), second)
	waiting := terminatingNamespace(stuckWidget("w1"), second)
	waiting.WaitsFor[0].Object.Namespace = "elsewhere"
	waitsForUnexplained := terminatingNamespace(unexplained)
	waitsForUnexplained.Verdict = stuck.Unknown
	for name, test := range map[string]struct {
		root *stuck.Diagnosis
		want string
	}{
		"another is not explained":  {waitsForUnexplained, "namespace/shop is stuck because of widget.example.com/w1, and not fully\n    explained: no cause was found for finalizer example.com/cleanup, whose\n    controller is not known.\n"},
		"one cause":                 {stuckWidget("w1"), "widget.example.com/w1 -n shop is blocked: its controller is down.\n"},
		"one cause of another":      {terminatingNamespace(stuckWidget("w1")), "namespace/shop is blocked because of widget.example.com/w1: its controller is\n    down.\n"},
		"one likely cause":          {orphanedWidget(), "widget.example.com/w1 -n shop is stuck: the controller of example.com/cleanup is\n    gone (likely).\n"},
		"its controller is gone":    {gone, "namespace/shop is stuck because of widget.example.com/w1: the controller of\n    example.com/cleanup is gone (likely).\n"},
		"progressing":               {progressing, "namespace/shop is being deleted: the namespace controller has just begun. Wait.\n"},
		"not explained":             {unexplained, "widget.example.com/w1 -n shop is stuck, and not fully explained: no cause was\n    found for finalizer example.com/cleanup, whose controller is not known.\n"},
		"not all could be checked":  {doubtful, "widget.example.com/w1 -n shop is stuck, and not fully explained: the controller\n    of example.com/cleanup is gone (likely). Other causes could not be checked.\n"},
		"in a deleted namespace":    {inDeletedNamespace, "widget.example.com/w1 -n shop is in a deleted namespace, and is not being\n    deleted itself: its controller is down.\n"},
		"several causes":            {several, "namespace/shop is blocked: 2 objects in it are stuck, for 2 causes.\n  1. widget.example.com/w2: the webhook is down\n  2. widget.example.com/w1: the controller of example.com/cleanup is gone\n     (likely)\n"},
		"several, in other places":  {waiting, "namespace/shop is blocked: it waits for 2 objects, for 2 causes.\n  1. widget.example.com/w1 -n elsewhere: its controller is down\n  2. widget.example.com/w2: the webhook is down\n"},
		"within its grace period":   {&stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(25 * time.Second)}, Verdict: stuck.Progressing}, "widget.example.com/w1 is being deleted and within its grace period for another\n    25s: wait.\n"},
		"nothing was found at all":  {&stuck.Diagnosis{Object: stuckWidget("w1").Object, Verdict: stuck.Unknown}, "widget.example.com/w1 -n shop is stuck, and not fully explained: no cause was\n    found.\n"},
		"nobody deletes it":         {&stuck.Diagnosis{Object: stuck.Object{Type: widget, Namespace: "shop", Name: "w1"}}, "widget.example.com/w1 -n shop is not being deleted.\n"},
		"finalizers would hold it":  {&stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1", Finalizers: []string{"a", "b"}}}, "widget.example.com/w1 is not being deleted; finalizers: a, b\n"},
		"a finalizer would hold it": {&stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1", Finalizers: []string{"a"}}}, "widget.example.com/w1 is not being deleted; finalizer: a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, _ := strings.Cut(explanationText(t, test.root), "\n\n")
			if diff := cmp.Diff(test.want, strings.TrimSuffix(got, "\n")+"\n"); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}

// The whole screen of a namespace with a cause, a finalizer that nothing explains, and what
// force costs.
func TestWholeScreen(t *testing.T) {
	held := stuckWidget("w1")
	held.Findings[0].Evidence = []string{"deployment/widget-operator -n operators: 0 of 1 ready"}
	held.Findings[0].Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see why", Command: "kubectl -n operators describe deployment widget-operator"},
		{Action: stuck.ActionChange, Description: "repair it"},
	}
	held.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakExternal, Description: "the bucket; and force is refused too", Note: "; and force is refused too"}
	other := stuckWidget("w2")
	other.Verdict, other.Findings, other.Unexplained = stuck.Unknown, nil, []string{finalizer}
	root := terminatingNamespace(held, other)
	root.Object.SpecFinalizers = []string{"kubernetes"}
	root.Known = map[string]stuck.KnownFinalizer{"kubernetes": {RemovedBy: "removed by kube-controller-manager", WaitsFor: "deletes what is in it"}}
	want := `namespace/shop is blocked because of widget.example.com/w1: its controller is
    down.

Verdict      Blocked
Deleted at   2026-03-01 02:00:00 UTC (60m ago)
Finalizers   kubernetes (spec.finalizers; removed by kube-controller-manager:
             deletes what is in it)

namespace/shop
├─ widget.example.com/w1  [1]  example.com/cleanup
└─ widget.example.com/w2  [2]  example.com/cleanup

[1] controller-down, confirmed
    widget.example.com/w1: its controller is down
    - deployment/widget-operator -n operators: 0 of 1 ready
  a) check: see why
  kubectl -n operators describe deployment widget-operator
  b) change: repair it

[2] not explained
    widget.example.com/w2: no cause was found for finalizer example.com/cleanup,
    whose controller is not known
  a) check: find the software that uses example.com/cleanup: who wrote the
     object, and when
  kubectl -n shop get widgets.example.com w2 -o yaml --show-managed-fields

Force removal would leave behind
  unknown              cleanup for example.com/cleanup of widget.example.com/w2
                       is skipped
  external resources   the bucket
  and is rejected too while cause 1 lasts
`
	if diff := cmp.Diff(want, explanationText(t, root)); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

// What a cluster says stays on its line, whatever it says.
func TestTextOfAClusterMakesNoLines(t *testing.T) {
	d := stuckWidget("w1")
	d.Findings[0].Message = "its webhook says:\nall is well"
	d.Findings[0].Evidence = []string{"panic: x\n\nForce removal would leave behind\n  kubectl delete everything"}
	d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "read\nit", Command: "kubectl\nlogs"}}
	d.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakData, Description: "rows\nof a table"}
	text := explanationText(t, d, stuck.Gap{Source: "pods\nand more", Error: "a proxy says\n<html>"})
	lines := map[string]int{}
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)]++
	}
	for _, line := range []string{"all is well", "kubectl delete everything", "logs", "of a table", "<html>", "and more: a proxy says"} {
		if lines[line] > 0 {
			t.Errorf("%q stands on a line of its own:\n%s", line, text)
		}
	}
	if lines["Force removal would leave behind"] != 1 {
		t.Errorf("there are %d headings of what force leaves behind:\n%s", lines["Force removal would leave behind"], text)
	}
}

// However much is stuck, the answer fits on a screen.
func TestProseFitsOnAScreen(t *testing.T) {
	var varied, groups []*stuck.Diagnosis
	for i := range 100 {
		d := stuckWidget(fmt.Sprintf("v%d", i))
		d.Object.Finalizers = []string{fmt.Sprintf("example.com/f%d", i)}
		d.Findings[0].Message, d.Findings[0].Verdict = fmt.Sprintf("summary %d", i), ""
		varied = append(varied, d)
		for _, w := range stuckWidgets(10) {
			w.Object.Finalizers, w.Findings[0].Verdict = d.Object.Finalizers, ""
			groups = append(groups, w)
		}
	}
	tests := map[string]struct {
		root  *stuck.Diagnosis
		lines int
		holds string
	}{
		"five thousand similar objects":        {terminatingNamespace(stuckWidgets(5000)...), 11, "└─ 5000 widgets.example.com  [1]  example.com/cleanup\n"},
		"a hundred of which none is like":      {terminatingNamespace(varied...), 21, "└─ and 88 more (-o json lists all)\n"},
		"a hundred groups of ten":              {terminatingNamespace(groups...), 21, "└─ and 880 more (-o json lists all)\n"},
		"a net of a hundred, all of one cause": {fullMesh(100), 12, "(waits for itself)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := explanationText(t, test.root)
			if got := strings.Count(text, "\n"); got > test.lines || !strings.Contains(text, test.holds) {
				t.Errorf("%d lines, not %d, with %q:\n%.4000s", got, test.lines, test.holds, text)
			}
		})
	}
}

func TestProseTellsThatTheOutputIsGone(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	if err := report.ExplanationText(w, report.Screen{Root: stuckWidget("w1"), Now: now}); err == nil {
		t.Error("it does not say so")
	}
}

// Objects that nobody deletes take a line each, and many that are similar take one.
func TestNotDeletedText(t *testing.T) {
	var living []*stuck.Diagnosis
	for i := range 7 {
		living = append(living, &stuck.Diagnosis{Object: stuck.Object{Type: widget, Namespace: "shop", Name: fmt.Sprintf("w%d", i), Finalizers: []string{finalizer}}})
	}
	living = append(living, &stuck.Diagnosis{Object: stuck.Object{Type: namespace, Name: "shop"}})
	want := "7 widgets.example.com -n shop are not being deleted; finalizer:\n    example.com/cleanup\nnamespace/shop is not being deleted.\n"
	got := output(t, func(out io.Writer) error { return report.NotDeletedText(out, living, 0) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

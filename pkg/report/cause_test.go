package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// blocksText is what a screen says of the causes: what stands behind the facts and the tree.
func blocksText(t *testing.T, root *stuck.Diagnosis) string {
	t.Helper()
	text := explanationText(t, root)
	i := strings.Index(text, "[1] ")
	if tree := strings.Index(text, "\n\n[1] "); tree > 0 {
		i = tree + 2
	}
	if i < 0 {
		t.Fatalf("it has no cause:\n%s", text)
	}
	return text[i:]
}

// What holds of several finalizers of an object has one block, and what holds of some of
// them names these.
func TestEachCauseHasOneBlock(t *testing.T) {
	down := func(finalizer, message, evidence string) stuck.Finding {
		return stuck.Finding{
			Cause: "controller-down", Message: message, Certainty: stuck.Confirmed, Verdict: stuck.Blocked,
			Explains: []string{finalizer}, Evidence: []string{"0 of 1 ready", evidence}, Steps: []stuck.Step{{Action: stuck.ActionChange, Description: "start it"}},
		}
	}
	for name, test := range map[string]struct {
		finalizers []string
		findings   []stuck.Finding
		want       string
	}{
		"one controller for both": {
			finalizers: []string{"a", "b"},
			findings:   []stuck.Finding{down("a", "op is down", "it set a"), down("b", "op is down", "it set b")},
			want: `[1] controller-down, confirmed
    - 0 of 1 ready
    - it set a
    - it set b
  a) change: start it
`,
		},
		"one controller for two of three, another for the third": {
			finalizers: []string{"a", "b", "c"},
			findings:   []stuck.Finding{down("a", "op is down", "x"), down("c", "other is down", "x"), down("b", "op is down", "x")},
			want: `[1] controller-down, confirmed
    a and b: op is down
    - 0 of 1 ready
    - x
  a) change: start it

[2] controller-down, confirmed
    c: other is down
    - 0 of 1 ready
    - x
  a) change: start it
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: test.finalizers}
			d := &stuck.Diagnosis{Object: object, Verdict: stuck.Blocked, Findings: test.findings}
			if diff := cmp.Diff(test.want, blocksText(t, d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Objects that are not similar, and stuck for one cause, share its block: what is not the same
// of all of them names those that it is about, and a step that differs in the name alone
// stands there once.
func TestObjectsWithOneCauseShareABlock(t *testing.T) {
	var all []*stuck.Diagnosis
	for i, finalizer := range []string{"x", "y"} {
		d := stuckWidget(fmt.Sprintf("w%d", i))
		d.Object.Finalizers = []string{finalizer}
		d.Findings[0].Evidence = []string{"0 of 1 ready", "it set " + finalizer}
		d.Findings[0].Steps = []stuck.Step{
			{Action: stuck.ActionChange, Description: "start it", Command: "kubectl scale"},
			{Action: stuck.ActionCheck, Description: "look at the object", Command: "kubectl describe " + d.Object.Name},
		}
		all = append(all, d)
	}
	want := `[1] controller-down, confirmed
    widget.example.com/w0, widget.example.com/w1: its controller is down
    - 0 of 1 ready
    - widget.example.com/w0: it set x
    - widget.example.com/w1: it set y
  a) change: start it
  kubectl scale
  b) check: look at the object (and similarly for 1 other object)
  kubectl describe w0
`
	if diff := cmp.Diff(want, blocksText(t, terminatingNamespace(all...))); diff != "" {
		t.Error(diff)
	}
}

// What holds many objects is one cause, also where it is certain for some of them only, or says
// something else of each, as long as the same commands repair it.
func TestOneCulpritHasOneBlock(t *testing.T) {
	two := func(change func(*stuck.Finding)) *stuck.Diagnosis {
		first, second := stuckWidget("w1"), stuckWidget("w2")
		second.Object.Finalizers = []string{"example.com/other"}
		for _, d := range []*stuck.Diagnosis{first, second} {
			d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "start it", Command: "kubectl scale"}}
		}
		change(&second.Findings[0])
		return terminatingNamespace(first, second)
	}
	const steps = "  a) change: start it\n  kubectl scale\n"
	for name, test := range map[string]struct {
		change func(*stuck.Finding)
		want   string
	}{
		"less certain of one": {
			func(f *stuck.Finding) { f.Certainty = stuck.Likely },
			"[1] controller-down, confirmed (likely for widget.example.com/w2)\n    widget.example.com/w1, widget.example.com/w2: its controller is down\n" + steps,
		},
		"it does something else to each": {
			func(f *stuck.Finding) { f.Message = "its controller does not watch it" },
			"[1] controller-down, confirmed\n    widget.example.com/w1: its controller is down; widget.example.com/w2: its\n    controller does not watch it\n" + steps,
		},
		"another is to blame": {
			func(f *stuck.Finding) { f.Message, f.BlockedBy.Name = "another is down", "another" },
			"[1] controller-down, confirmed\n    widget.example.com/w1: its controller is down\n" + steps +
				"\n[2] controller-down, confirmed\n    widget.example.com/w2: another is down\n" + steps,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, blocksText(t, two(test.change))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A step that is not the same for all of many similar objects says so, and so does a cost. A
// name that happens to stand in the text says nothing.
func TestWhatHoldsForOneOfMany(t *testing.T) {
	many := stuckWidgets(7)
	for _, d := range many {
		d.Findings[0].Steps = []stuck.Step{
			{Action: stuck.ActionCheck, Description: "look at w0 of the machine room", Command: "kubectl get node w0 -o yaml"},
			{Action: stuck.ActionChange, Description: "edit it", Command: "kubectl edit " + d.Object.Name},
		}
		d.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakData, Description: "the disk of " + d.Object.Name}
	}
	text := blocksText(t, terminatingNamespace(many...))
	for _, want := range []string{
		"  a) check: look at w0 of the machine room\n  kubectl get node w0 -o yaml\n",
		"  b) change: edit it (and similarly for 6 other objects)\n  kubectl edit w0\n",
		"  data   the disk of w0 (and similarly for 6 other objects)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// What force costs is that of every finalizer, also of an object that something
// else waits for, the gravest first. That a finalizer costs nothing is of no use beside them.
func TestTheCostOfEachIsTold(t *testing.T) {
	held := stuckWidget("w1")
	held.Findings = nil
	for i, leak := range []stuck.Leak{stuck.LeakNothing, stuck.LeakObjects, stuck.LeakExternal, stuck.LeakUnknown, stuck.LeakData} {
		f := stuck.Finding{Cause: "down", Message: "down", Verdict: stuck.Blocked, OnForce: stuck.Cost{Leaves: leak, Description: fmt.Sprintf("loss %d", i)}}
		held.Findings = append(held.Findings, f, f)
	}
	_, got, _ := strings.Cut(explanationText(t, terminatingNamespace(held)), "Force removal would leave behind\n")
	want := "  data                 loss 4\n  unknown              loss 3\n  external resources   loss 2\n  cluster objects      loss 1\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
}

// The forced way is the last step of the last cause whose controller is gone.
func TestForcedWay(t *testing.T) {
	root := terminatingNamespace(orphanedWidget())
	root.Verdict = stuck.ControllerGone
	root.WaitsFor[0].Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "install it again"}}
	force := stuck.Step{Action: stuck.ActionForce, Description: "last resort", Command: "kubectl finalizers force-remove namespace/shop"}
	text := screenText(t, report.Screen{Root: root, Now: now, Force: force})
	if want := "  a) change: install it again\n  b) force: last resort\n  kubectl finalizers force-remove namespace/shop\n"; !strings.HasSuffix(text, want) {
		t.Errorf("it does not end in %q:\n%s", want, text)
	}
	if text := screenText(t, report.Screen{Root: stuckWidget("w1"), Now: now, Force: force}); strings.Contains(text, "force:") {
		t.Errorf("what is blocked is to be forced:\n%s", text)
	}
}

// Of a finalizer that nothing explains no more is said than is known of its own
// controller.
func TestUnexplainedFinalizersHaveTheirOwnControllers(t *testing.T) {
	controller := &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: "op"}
	d := &stuck.Diagnosis{
		Object:      stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b", "c", "d"}},
		Verdict:     stuck.Unknown,
		Unexplained: []string{"b", "c", "d"},
		Controllers: []stuck.Controller{
			{Finalizer: "a", Workload: controller, Running: stuck.NotRunning},
			{Finalizer: "b"},
			{Finalizer: "d", Clues: []string{"set by hand"}},
			{Finalizer: "c", Workload: controller, Running: stuck.Running},
		},
	}
	text := strings.Join(strings.Fields(blocksText(t, d)), " ")
	for _, want := range []string{
		"[1] not explained no cause was found for finalizers b and d, whose controller is not known - d: set by hand",
		"[2] not explained no cause was found for finalizer c, which its controller deployment/op -n sys has not removed, although it is running",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Of a finalizer that no cause explains all is told that the catalog knows and that the facts about the object do not say: what
// to do and what force costs. Logs are read once.
func TestKnownFinalizerWithoutACause(t *testing.T) {
	d := &stuck.Diagnosis{
		Object:      stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b"}},
		Verdict:     stuck.Unknown,
		Unexplained: []string{"a", "b"},
		Controllers: []stuck.Controller{{Finalizer: "a", Workload: &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: "op"}, LogsCommand: "kubectl -n sys logs deployment/op", Running: stuck.Running}, {Finalizer: "b"}},
		Known: map[string]stuck.KnownFinalizer{"a": {
			Description: "it is known: a of Snapshots", IfForced: stuck.Cost{Leaves: stuck.LeakData, Description: "the snapshot"},
			Fix: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "see the snapshot", Command: "kubectl get snapshot"},
				{Action: stuck.ActionCheck, Description: "read what op says", Command: "kubectl -n sys logs deployment/op --since=1h", ReadsLogs: true},
			},
		}},
	}
	text := blocksText(t, d)
	if strings.Contains(text, "it is known: a of Snapshots") {
		t.Errorf("it says again what the facts about the object say:\n%s", text)
	}
	for _, want := range []string{"data      the snapshot", "unknown   cleanup for b of widget.example.com/w1", "kubectl get snapshot", "kubectl -n sys logs deployment/op\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Count(text, "kubectl -n sys logs") > 1 {
		t.Errorf("it says twice to read the logs:\n%s", text)
	}
}

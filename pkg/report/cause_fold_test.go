package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unexplainedObjects are two objects of each of many types, of whose finalizers nothing is known.
func unexplainedObjects(types int, finalizerOf func(i int) string) []*stuck.Diagnosis {
	var out []*stuck.Diagnosis
	for i := range types {
		of := stuck.Type{Group: "lots.example.com", Version: "v1", Resource: fmt.Sprintf("kind%ds", i), Kind: fmt.Sprintf("Kind%d", i), Namespaced: true}
		for _, name := range []string{"a", "b"} {
			f := finalizerOf(i)
			out = append(out, &stuck.Diagnosis{
				Object:  stuck.Object{Type: of, Namespace: "shop", Name: name, DeletionTime: now.Add(-time.Hour), Finalizers: []string{f}},
				Verdict: stuck.Unknown, Unexplained: []string{f},
				Controllers: []stuck.Controller{{Finalizer: f, Clues: []string{"set by hand", "no workload of " + of.Resource + " is known"}}},
			})
		}
	}
	return out
}

// What is known of many finalizers alike has one block, whatever they and the types are called; the first line
// counts as many causes as have one.
func TestUnexplainedFinalizersOfManyTypesHaveOneBlock(t *testing.T) {
	own := func(i int) string { return fmt.Sprintf("f%d.example.com/hold", i) }
	for name, test := range map[string]struct {
		held                                 []*stuck.Diagnosis
		first, block, evidence, step, forced string
	}{
		"one finalizer": {
			unexplainedObjects(2, func(int) string { return "example.com/hold" }),
			"namespace/shop is stuck because of kind0.lots.example.com/a, kind0.lots.example.com/b, kind1.lots.example.com/a and 1 more, and not fully explained: " +
				"no cause was found for finalizer example.com/hold, whose controller is not known.",
			"[1] not explained kind0.lots.example.com/a, kind0.lots.example.com/b, kind1.lots.example.com/a and 1 more: no cause was found for finalizer example.com/hold, whose controller is not known - set by hand",
			"- kind1.lots.example.com/a, kind1.lots.example.com/b: no workload of kind1s is known a) check",
			"who wrote the object, and when (and similarly for 3 other objects) kubectl -n shop get kind0s.lots.example.com a -o yaml",
			"unknown cleanup for example.com/hold of kind0.lots.example.com/a, kind0.lots.example.com/b, kind1.lots.example.com/a and 1 more is skipped",
		},
		"a finalizer of each type": {
			unexplainedObjects(200, own),
			"kind1.lots.example.com/a and 397 more, and not fully explained: no cause was found for finalizers f0.example.com/hold, f1.example.com/hold, f2.example.com/hold and 197 more, whose controllers are not known.",
			"[1] not explained kind0.lots.example.com/a, kind0.lots.example.com/b, kind1.lots.example.com/a and 397 more: no cause",
			"- set by hand - kind0.lots.example.com/a, kind0.lots.example.com/b: no workload of kind0s is known",
			"and 189 lines like these a) check: find the software that uses f0.example.com/hold: who wrote the object, and when (and similarly for 399 other objects)",
			"unknown cleanup for f0.example.com/hold, f1.example.com/hold, f2.example.com/hold and 197 more of kind0.lots.example.com/a,",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := terminatingNamespace(test.held...)
			root.Verdict = stuck.Unknown
			text := explanationText(t, root)
			words := strings.Join(strings.Fields(text), " ")
			for _, want := range []string{test.first, test.block, test.evidence, test.step, test.forced} {
				if !strings.Contains(words, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			if strings.Contains(text, "[2]") || strings.Count(text, "\n") > 65 {
				t.Errorf("it has more than one cause, or %d lines:\n%s", strings.Count(text, "\n"), text)
			}
		})
	}
}

// Finalizers of which something else is known are not said to be alike.
func TestUnexplainedFinalizersWithTheirOwnControllers(t *testing.T) {
	held := unexplainedObjects(7, func(i int) string { return fmt.Sprintf("f%d.example.com/hold", i) })
	for i, d := range held {
		d.Controllers[0].Workload = &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: fmt.Sprintf("op%d", i/4)}
	}
	root := terminatingNamespace(held...)
	root.Verdict = stuck.Unknown
	if text := explanationText(t, root); !strings.Contains(text, "with 14 objects in it, for 7\n    unknown causes.\n") || !strings.Contains(text, "whose controller is probably deployment/op3\n    -n sys\n") {
		t.Errorf("each finalizer has its controller:\n%s", text)
	}
	root.WaitsFor = append(root.WaitsFor[:1], stuckWidget("w1"))
	if text := explanationText(t, root); !strings.Contains(text, "with 2 objects in it, for 1\n    known cause and 1 unknown cause.\n") {
		t.Errorf("what is known and what is not:\n%s", text)
	}
}

// Of many causes the most urgent have a block, of these the ones that hold most; the others are counted. The forced way
// stays.
func TestManyCausesAreCounted(t *testing.T) {
	var held []*stuck.Diagnosis
	for i := range 40 {
		d := stuckWidget(fmt.Sprintf("w%d", i))
		d.Object.Type.Resource, d.Object.Type.Kind = fmt.Sprintf("kind%ds", i), fmt.Sprintf("Kind%d", i)
		d.Findings[0].Message = fmt.Sprintf("operator %d is down", i)
		d.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakExternal, Description: fmt.Sprintf("bucket %d; rejected too", i), Note: "; rejected too"}
		held = append(held, d)
	}
	gone := orphanedWidget()
	gone.Object.Name = "gone"
	more := stuckWidgets(7)
	for _, d := range more {
		d.Findings[0].Message = "it holds most"
	}
	root := terminatingNamespace(append(append([]*stuck.Diagnosis{gone}, held...), more...)...)
	force := stuck.Step{Action: stuck.ActionForce, Description: "last resort", Command: "kubectl finalizers force-remove namespace/shop"}
	text := screenText(t, report.Screen{Root: root, Now: now, Force: force})
	for _, want := range []string{
		"48 objects in it are stuck, for 42 causes.\n  1. 7 widgets.example.com: it holds most\n",
		"  12. kind10.example.com/w10: operator 10 is down\n  and 30 more (-o json has all)\n",
		"\n[12] controller-down, confirmed\n    kind10.example.com/w10: operator 10 is down\n\n" +
			"and 30 more causes (-o json has all)\n  a) force: last resort\n  kubectl finalizers force-remove namespace/shop\n",
		"  external resources   bucket 11\n  and 28 more\n  and is rejected too while causes 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 29\n  more last\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "[13]") {
		t.Errorf("it names a cause that it does not print:\n%s", text)
	}
}

// What one controller does to each of many objects is said of some of them.
func TestManyMessagesOfOneCulprit(t *testing.T) {
	var held []*stuck.Diagnosis
	for i := range 100 {
		d := stuckWidget(fmt.Sprintf("w%d", i))
		d.Findings[0].Message = fmt.Sprintf("it fails on w%d", i)
		d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "start it", Command: "kubectl scale"}}
		held = append(held, d)
	}
	text := blocksText(t, terminatingNamespace(held...))
	if want := "widget.example.com/w2: it fails on w2; and 97 more like these\n  a) change"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

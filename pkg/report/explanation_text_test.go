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

func TestProse(t *testing.T) {
	ghost := stuckWidget("w1")
	ghost.Object.NamespaceMissing, ghost.Object.DeletionTime = true, time.Time{}
	circle := stuckWidget("w1")
	circle.WaitsFor = []*stuck.Diagnosis{stuckWidget("w2", circle)}
	shared := stuckWidget("w3", stuckWidget("w4"))
	tests := map[string]struct {
		root *stuck.Diagnosis
		gaps []stuck.Gap
		want string
	}{
		"nobody deletes it, and nothing would hold it": {
			root: &stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1"}},
			want: "widget.example.com/w1 is not being deleted\n",
		},
		"nobody deletes it, and two finalizers would hold it": {
			root: &stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1", Finalizers: []string{"a", "b"}}},
			want: "widget.example.com/w1 is not being deleted; it carries 2 finalizers: a, b\n",
		},
		"nobody deletes it, and not all could be read": {
			root: &stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1"}},
			gaps: []stuck.Gap{{Source: "pods", Error: "forbidden"}},
			want: "widget.example.com/w1 is not being deleted\n\nCould not check\n  pods: forbidden\n",
		},
		"it is within its grace period": {
			root: &stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(25 * time.Second)}, Verdict: stuck.Progressing},
			want: "widget.example.com/w1 is being deleted and within its grace period for another 25s: wait\n",
		},
		"its namespace is gone, and nobody deletes it": {
			root: ghost,
			want: "widget.example.com/w1 is a ghost that nobody has deleted: blocked, 1 cause\n\n  its controller is down\n",
		},
		"nothing explains its finalizer": {
			root: &stuck.Diagnosis{
				Object: stuckWidget("w1").Object, Verdict: stuck.Unknown, Unexplained: []string{finalizer},
				Controllers: []stuck.Controller{{Finalizer: finalizer, Clues: []string{"set by field manager operator"}}},
				NotRuledOut: []stuck.OpenCause{{Cause: "node-lost", Source: "nodes"}, {Cause: "node-lost", Source: "leases"}},
			},
			gaps: []stuck.Gap{{Source: "nodes", Error: "forbidden"}},
			want: `widget.example.com/w1 has been Terminating for 3h: not fully explained

  widget.example.com/w1 waits for finalizer example.com/cleanup, whose controller is not known
    set by field manager operator

Do this first
  find the software that uses example.com/cleanup: who wrote the object, and when
    kubectl -n shop get widgets.example.com w1 -o yaml --show-managed-fields

If it is forced, this stays behind
  unknown: whatever example.com/cleanup of widget.example.com/w1 would have cleaned up

Could not check
  nodes: forbidden
  so these causes are not ruled out: node-lost
`,
		},
		"it waits for itself": {
			root: circle,
			want: `widget.example.com/w1 has been Terminating for 3h: blocked, 2 causes

  its controller is down

  widget.example.com/w2: its controller is down

What waits for what
  widget.example.com/w1
  └─ widget.example.com/w2  example.com/cleanup
     └─ widget.example.com/w1  (waits for itself)
`,
		},
		"two wait for the same": {
			root: terminatingNamespace(stuckWidget("w1", shared), stuckWidget("w2", shared)),
			want: `namespace/shop has been Terminating for 60m: blocked, 4 causes

  widget.example.com/w1: its controller is down

  widget.example.com/w2: its controller is down

  widget.example.com/w3: its controller is down

  widget.example.com/w4: its controller is down

What waits for what
  namespace/shop
  ├─ widget.example.com/w1  example.com/cleanup
  │  └─ widget.example.com/w3  example.com/cleanup
  │     └─ widget.example.com/w4  example.com/cleanup
  └─ widget.example.com/w2  example.com/cleanup
     └─ widget.example.com/w3  (see above)
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, textWriter(t, test.root, test.gaps...)); diff != "" {
				t.Errorf("prose (-want +got):\n%s", diff)
			}
		})
	}
}

// What a cluster says stays on its line, whatever it says.
func TestTextOfAClusterMakesNoLines(t *testing.T) {
	d := stuckWidget("w1")
	d.Findings[0].Message = "its webhook says:\nall is well"
	d.Findings[0].Evidence = []string{"panic: x\n\nDo this first\n  kubectl delete everything"}
	d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "read\nit", Command: "kubectl\nlogs"}}
	d.Findings[0].OnForce = stuck.Cost{Leaves: stuck.LeakData, Description: "rows\nof a table"}
	text := textWriter(t, d, stuck.Gap{Source: "pods\nand more", Error: "a proxy says\n<html>"})
	lines := map[string]int{}
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)]++
	}
	for _, line := range []string{"all is well", "kubectl delete everything", "logs", "of a table", "<html>", "and more: a proxy says"} {
		if lines[line] > 0 {
			t.Errorf("%q stands on a line of its own:\n%s", line, text)
		}
	}
	if lines["Do this first"] != 1 {
		t.Errorf("there are %d headings that say what to do first:\n%s", lines["Do this first"], text)
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
		"five thousand that are alike":         {terminatingNamespace(stuckWidgets(5000)...), 8, "└─ 5000 widgets.example.com  example.com/cleanup\n"},
		"a hundred of which none is like":      {terminatingNamespace(varied...), 17, "└─ and 88 more (-o json lists all)\n"},
		"a hundred groups of ten":              {terminatingNamespace(groups...), 17, "└─ and 880 more (-o json lists all)\n"},
		"a net of a hundred, all of one cause": {fullMesh(100), 12, "(waits for itself)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := textWriter(t, test.root)
			if got := strings.Count(text, "\n"); got > test.lines || !strings.Contains(text, test.holds) {
				t.Errorf("%d lines, not %d, with %q:\n%.4000s", got, test.lines, test.holds, text)
			}
		})
	}
}

func TestCostsComeGravestFirst(t *testing.T) {
	d := terminatingNamespace()
	for i, leak := range []stuck.Leak{stuck.LeakNothing, stuck.LeakObjects, stuck.LeakExternal, stuck.LeakUnknown, stuck.LeakData} {
		f := stuck.Finding{Message: fmt.Sprint(i), OnForce: stuck.Cost{Leaves: leak, Description: fmt.Sprintf("loss %d", i)}, Evidence: []string{"seen"}}
		d.Findings = append(d.Findings, f, f)
	}
	text := textWriter(t, d)
	_, got, _ := strings.Cut(text, "If it is forced, this stays behind\n")
	want := "  data: loss 4\n  unknown: loss 3\n  external resources: loss 2\n  cluster objects: loss 1\n  nothing: loss 0\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
}

func TestProseTellsThatTheOutputIsGone(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	if err := report.ExplanationText(w, stuckWidget("w1"), nil, now); err == nil {
		t.Error("it does not say so")
	}
}

package stuck_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	now    = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	widget = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
)

// widgets are diagnoses that differ in name and age alone; change, where it is
// set, is made to each.
func widgets(n int, change func(*stuck.Diagnosis)) []*stuck.Diagnosis {
	var out []*stuck.Diagnosis
	for i := range n {
		d := &stuck.Diagnosis{
			Object: stuck.Object{
				Type: widget, Namespace: "shop", Name: fmt.Sprintf("w%d", i),
				DeletionTime: now.Add(-time.Duration(i) * time.Minute), Finalizers: []string{finalizer},
			},
			Verdict:  stuck.Blocked,
			Findings: []stuck.Finding{{Cause: "controller-down", Message: "its controller is down", Certainty: stuck.Confirmed}},
		}
		if change != nil {
			change(d)
		}
		out = append(out, d)
	}
	return out
}

func TestAlikeFoldsBeyondAHandful(t *testing.T) {
	other := widgets(1, func(d *stuck.Diagnosis) { d.Object.Name, d.Object.Namespace = "other", "office" })
	tests := map[string]struct {
		diagnoses []*stuck.Diagnosis
		want      []string
	}{
		"nothing": {},
		"a handful is shown one by one": {
			diagnoses: widgets(stuck.MaxUngrouped, nil),
			want: []string{
				"widget.example.com/w0", "widget.example.com/w1", "widget.example.com/w2", "widget.example.com/w3", "widget.example.com/w4",
			},
		},
		"one more is a number": {diagnoses: widgets(stuck.MaxUngrouped+1, nil), want: []string{"6 widgets.example.com"}},
		"a group stands where its first stood, and what differs beside it": {
			diagnoses: append(append(widgets(1, nil), other...), widgets(6, nil)...),
			want:      []string{"7 widgets.example.com", "widget.example.com/other"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, g := range stuck.GroupSimilar(test.diagnoses) {
				got = append(got, g.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatDiffersDoesNotFold(t *testing.T) {
	for name, change := range map[string]func(*stuck.Diagnosis){
		"type":                func(d *stuck.Diagnosis) { d.Object.Type.Kind = "Gadget" },
		"namespace":           func(d *stuck.Diagnosis) { d.Object.Namespace = "office" },
		"a deleted namespace": func(d *stuck.Diagnosis) { d.Object.NamespaceMissing = true },
		"being deleted":       func(d *stuck.Diagnosis) { d.Object.DeletionTime = time.Time{} },
		"finalizers":          func(d *stuck.Diagnosis) { d.Object.Finalizers = []string{"example.com/other"} },
		"spec.finalizers":     func(d *stuck.Diagnosis) { d.Object.SpecFinalizers = []string{"kubernetes"} },
		"verdict":             func(d *stuck.Diagnosis) { d.Verdict = stuck.Unknown },
		"findings":            func(d *stuck.Diagnosis) { d.Findings = nil },
		"cause":               func(d *stuck.Diagnosis) { d.Findings[0].Cause = "node-lost" },
		"summary":             func(d *stuck.Diagnosis) { d.Findings[0].Message = "its node is lost" },
		"certainty":           func(d *stuck.Diagnosis) { d.Findings[0].Certainty = stuck.Likely },
	} {
		t.Run(name, func(t *testing.T) {
			all := append(widgets(stuck.MaxUngrouped, nil), widgets(stuck.MaxUngrouped, change)...)
			if got := len(stuck.GroupSimilar(all)); got != 2*stuck.MaxUngrouped {
				t.Errorf("two handfuls that differ in it become %d groups", got)
			}
		})
	}
}

func TestOldestOfAGroup(t *testing.T) {
	group := stuck.GroupSimilar(widgets(8, nil))[0]
	if got, want := group.MaxStuckDuration(now), 7*time.Minute; got != want {
		t.Errorf("the oldest has been stuck for %s, not %s", got, want)
	}
}

func TestGroupBy(t *testing.T) {
	words := []string{"apple", "bear", "axe", "cow", "bee"}
	got := stuck.GroupBy(words, func(w string) byte { return w[0] })
	if diff := cmp.Diff([][]string{{"apple", "axe"}, {"bear", "bee"}, {"cow"}}, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if stuck.ListKey([]string{"a b"}) == stuck.ListKey([]string{"a", "b"}) || stuck.ListKey([]string{"a"}, nil) == stuck.ListKey(nil, []string{"a"}) {
		t.Error("different lists have one key")
	}
}

func TestJoinFirst(t *testing.T) {
	names := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := stuck.JoinFirst(names, most); got != want {
			t.Errorf("JoinFirst(%v, %d) = %q, want %q", names, most, got, want)
		}
	}
}

package report_test

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestWaitText(t *testing.T) {
	shop, w1, w2 := terminatingNamespace().Object, stuckWidget("w1").Object, stuckWidget("w2").Object
	living, hostile := w1, w1
	living.DeletionTime, hostile.Name = time.Time{}, "a\nb"
	for name, test := range map[string]struct {
		progress     stuck.Progress
		state, pause string
	}{
		"one object": {
			stuck.Progress{Total: 1, Remaining: []stuck.Object{w1}, Finalizers: []stuck.Tally{{Name: "a", Objects: 1}}, LastMoved: now},
			"waiting for widget.example.com/w1 -n shop; finalizers: 1 a", "",
		},
		"one that is not deleted": {
			stuck.Progress{Total: 1, Remaining: []stuck.Object{living}, LastMoved: now.Add(-time.Minute)},
			"waiting for widget.example.com/w1 -n shop, which is not being deleted yet", "nothing has moved for 60s",
		},
		"a namespace": {
			stuck.Progress{
				Total: 1, Remaining: []stuck.Object{shop}, LastMoved: now.Add(-time.Minute), GraceEnd: now.Add(30 * time.Second),
				Content: []stuck.Tally{{Name: "widgets.example.com", Objects: 5}, {Name: "pods", Objects: 4}, {Name: "services", Objects: 3}, {Name: "secrets", Objects: 2}},
			},
			"waiting for namespace/shop; 5 widgets.example.com, 4 pods, 3 services and 1 more left", "within the grace period for another 30s",
		},
		"several": {
			stuck.Progress{Total: 5, Remaining: []stuck.Object{w1, w2, shop}, LastMoved: now},
			"waiting for 3 of 5 objects; 2 widgets.example.com, 1 namespace left", "",
		},
		"a hostile name": {
			stuck.Progress{Total: 1, Remaining: []stuck.Object{hostile}, LastMoved: now},
			`waiting for widget.example.com/a\u000ab -n shop`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if state, pause := report.WaitState(test.progress), report.WaitPause(test.progress, now); state != test.state || pause != test.pause {
				t.Errorf("it says %q and %q", state, pause)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for columns, want := range map[int]string{10: "a long one", 9: "a long...", 3: "...", 0: "..."} {
		if got := report.Cut("a long one", columns); got != want {
			t.Errorf("in %d columns: %q", columns, got)
		}
	}
}

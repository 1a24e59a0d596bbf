package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Of a finalizer that no cause explains all is told that the catalog knows: what it is for, what to do and what force costs.
func TestKnownFinalizerWithoutACause(t *testing.T) {
	d := &stuck.Diagnosis{
		Object:      stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b"}},
		Verdict:     stuck.Unknown,
		Unexplained: []string{"a", "b"},
		Controllers: []stuck.Controller{{Finalizer: "a", Workload: &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: "op"}, Running: stuck.Running}, {Finalizer: "b"}},
		Known: map[string]stuck.KnownFinalizer{"a": {
			Description: "it is known: a of Snapshots, which waits for the snapshot", IfForced: stuck.Cost{Leaves: stuck.LeakData, Description: "the snapshot"},
			Fix: []stuck.Step{{Action: stuck.ActionCheck, Description: "see the snapshot", Command: "kubectl get snapshot"}, {Action: stuck.ActionCheck, Description: "read what op says", Command: "kubectl -n sys logs deployment/op --since=1h"}},
		}},
	}
	var out bytes.Buffer
	if err := report.ExplanationText(&out, d, nil, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"it is known: a of Snapshots, which waits for the snapshot", "data: the snapshot", "unknown: whatever b of widget.example.com/w1", "kubectl get snapshot", "kubectl -n sys logs deployment/op\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	if strings.Count(out.String(), " logs ") > 1 {
		t.Errorf("it says twice to read the logs:\n%s", &out)
	}
}

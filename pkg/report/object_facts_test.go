package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// factsText is the paragraph of a screen that says what the object is.
func factsText(t *testing.T, s report.Screen) string {
	t.Helper()
	_, facts, _ := strings.Cut(screenText(t, s), "\n\n")
	facts, _, _ = strings.Cut(facts, "\n\n")
	return strings.TrimSuffix(facts, "\n") + "\n"
}

func TestObjectFacts(t *testing.T) {
	pod := stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	op := &stuck.Culprit{Kind: "Deployment", Namespace: "sys", Name: "op"}
	grace := int64(30)
	ghost := stuckWidget("w1")
	ghost.Object.NamespaceMissing, ghost.Object.DeletionTime, ghost.Object.Finalizers = true, time.Time{}, nil
	for name, test := range map[string]struct {
		screen report.Screen
		want   string
	}{
		"a pod within its grace period": {
			report.Screen{Root: &stuck.Diagnosis{Object: stuck.Object{Type: pod, Name: "p", DeletionTime: now.Add(25 * time.Second), DeletionGracePeriodSeconds: &grace}, Verdict: stuck.Progressing}},
			"Verdict      Progressing\nDeleted at   2026-03-01 02:59:55 UTC (within its grace period until 2026-03-01\n             03:00:25 UTC, 25s left)\nFinalizers   none\n",
		},
		"a pod past it": {
			report.Screen{Root: &stuck.Diagnosis{Object: stuck.Object{Type: pod, Name: "p", DeletionTime: now.Add(-25 * time.Second), DeletionGracePeriodSeconds: &grace}, Verdict: stuck.Unknown}},
			"Verdict      Unknown\nDeleted at   2026-03-01 02:59:05 UTC (the grace period ended 25s ago)\nFinalizers   none\n",
		},
		"an object of a deleted namespace": {
			report.Screen{Root: ghost},
			"Verdict      Blocked\nDeleted at   not deleted: it has no deletionTimestamp\nFinalizers   none\n",
		},
		"who removes its finalizers": {
			report.Screen{Root: &stuck.Diagnosis{
				Object:  stuck.Object{Type: widget, Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"a", "b", "c", "d"}},
				Verdict: stuck.Unknown,
				Controllers: []stuck.Controller{
					{Finalizer: "a", Workload: op, Certainty: stuck.Confirmed}, {Finalizer: "b", Workload: op, Certainty: stuck.Likely}, {Finalizer: "d"},
				},
				Known: map[string]stuck.KnownFinalizer{"a": {RemovedBy: "usually removed by another", WaitsFor: "deletes a bucket"}, "c": {RemovedBy: "removed by the API server itself"}},
			}},
			"Verdict      Unknown\nDeleted at   2026-03-01 02:00:00 UTC (60m ago)\n" +
				"Finalizers   a (removed by deployment/op -n sys: deletes a bucket)\n" +
				"             b (probably removed by deployment/op -n sys)\n" +
				"             c (removed by the API server itself)\n" +
				"             d (its controller is not known)\n",
		},
		"the conditions of a namespace that are true": {
			report.Screen{Root: terminatingNamespace(), Conditions: []metav1.Condition{
				{Type: "NamespaceContentRemaining", Status: metav1.ConditionTrue}, {Type: "NamespaceDeletionContentFailure", Status: metav1.ConditionFalse},
			}},
			"Verdict      Blocked\nDeleted at   2026-03-01 02:00:00 UTC (60m ago)\nFinalizers   none\nConditions   NamespaceContentRemaining=True\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.screen.Now = now
			if diff := cmp.Diff(test.want, factsText(t, test.screen)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var operator = stuck.Culprit{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "operators", Name: "widget-operator"}

func withFinding(d *stuck.Diagnosis, f stuck.Finding) *stuck.Diagnosis {
	d.Findings = append(d.Findings, f)
	return d
}

// widgetWithoutController has no controller left. The finding names the widget in its place.
func widgetWithoutController(name string) *stuck.Diagnosis {
	d := stuckWidget(name)
	d.Findings = []stuck.Finding{{Cause: "controller-gone", Verdict: stuck.ControllerGone, BlockedBy: stuckWidget("w1").Object.Culprit(), Explains: []string{finalizer}}}
	return d
}

func reference(name string) report.Reference {
	return report.Reference(stuckWidget(name).Object.Culprit())
}

func TestListedCauses(t *testing.T) {
	node := stuck.Culprit{Kind: "Node", Name: "a"}
	shop := report.Reference{APIVersion: "v1", Kind: "Namespace", Name: "shop"}
	undeleted := stuckWidget("w9")
	undeleted.Object.DeletionTime = stuckWidget("w9").Object.CreationTime
	broken := stuckWidget("w1")
	for name, test := range map[string]struct {
		diagnoses []*stuck.Diagnosis
		want      []report.ListedCause
	}{
		"nothing is stuck": {want: []report.ListedCause{}},
		"what waits for others counts with their cause": {
			diagnoses: []*stuck.Diagnosis{terminatingNamespace(broken), broken},
			want: []report.ListedCause{
				{ID: "controller-down", Verdict: stuck.Blocked, BlockedBy: &operator, Namespaces: []string{"shop"}, Objects: []report.Reference{shop, reference("w1")}},
			},
		},
		"an object with two causes counts with both, and the cause of most objects comes first": {
			diagnoses: []*stuck.Diagnosis{
				withFinding(stuckWidget("w1"), stuck.Finding{Cause: "node-lost", Verdict: stuck.Blocked, BlockedBy: node}),
				withFinding(stuckWidget("w2"), stuck.Finding{Cause: "write-denied"}), // which only adds something
			},
			want: []report.ListedCause{
				{ID: "controller-down", Verdict: stuck.Blocked, BlockedBy: &operator, Namespaces: []string{"shop"}, Objects: []report.Reference{reference("w1"), reference("w2")}},
				{ID: "node-lost", Verdict: stuck.Blocked, BlockedBy: &stuck.Culprit{APIVersion: "v1", Kind: "Node", Name: "a"}, Namespaces: []string{"shop"}, Objects: []report.Reference{reference("w1")}},
			},
		},
		"where no controller is left, the finalizer stands for it": {
			diagnoses: []*stuck.Diagnosis{widgetWithoutController("w1"), widgetWithoutController("w2")},
			want: []report.ListedCause{
				{ID: "controller-gone", Verdict: stuck.ControllerGone, Finalizers: []string{finalizer}, Namespaces: []string{"shop"}, Objects: []report.Reference{reference("w1"), reference("w2")}},
			},
		},
		"what nobody deletes has no cause": {diagnoses: []*stuck.Diagnosis{undeleted}, want: []report.ListedCause{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, report.NewStuckList(test.diagnoses, nil).Causes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

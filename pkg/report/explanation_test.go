package report_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Many similar objects are one, unless something would be lost: what each waits for.
func TestExplanationFoldsSimilarObjects(t *testing.T) {
	end := stuckWidget("end")
	same, different := stuckWidgets(20), stuckWidgets(20)
	for i := range same {
		same[i].WaitsFor = []*stuck.Diagnosis{end}
		different[i].WaitsFor = []*stuck.Diagnosis{stuckWidget(different[i].Object.Name + "-child")}
	}
	for name, test := range map[string]struct {
		waitsFor      []*stuck.Diagnosis
		want, similar int
	}{
		"a few":                         {stuckWidgets(5), 5, 0},
		"many":                          {stuckWidgets(20), 1, 19},
		"many that wait for one":        {same, 1, 19},
		"many that wait for one of own": {different, 20, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := report.NewExplanation(terminatingNamespace(test.waitsFor...), nil).WaitsFor
			if len(got) != test.want || len(got[0].Similar) != test.similar || len(got[0].WaitsFor) != len(test.waitsFor[0].WaitsFor) {
				t.Errorf("%d objects, of which the first stands for %d others and waits for %d", len(got), len(got[0].Similar), len(got[0].WaitsFor))
			}
		})
	}
}

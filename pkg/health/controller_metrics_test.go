package health

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestOverworked(t *testing.T) {
	queue := func(q live.WorkQueue) live.ControllerMetrics {
		return live.ControllerMetrics{Queues: map[string]live.WorkQueue{"widget": q}}
	}
	tried := func(r live.ReconcileCount) live.ControllerMetrics {
		return live.ControllerMetrics{Reconciles: map[string]live.ReconcileCount{"widget": r}}
	}
	leads := func(yes bool) live.ControllerMetrics {
		return live.ControllerMetrics{IsLeader: map[string]bool{"lock": yes}}
	}
	for name, test := range map[string]struct {
		pods    []live.ControllerMetrics
		partial bool
		want    string
		state   stuck.State
	}{
		"no metrics":               {},
		"idle":                     {pods: []live.ControllerMetrics{queue(live.WorkQueue{})}},
		"at work":                  {pods: []live.ControllerMetrics{queue(live.WorkQueue{Depth: 30, LongestRunning: time.Minute})}},
		"stuck on one":             {pods: []live.ControllerMetrics{queue(live.WorkQueue{Depth: 30, LongestRunning: time.Hour})}, want: "one item for 60m (30 wait)", state: stuck.Warning},
		"a long queue":             {pods: []live.ControllerMetrics{queue(live.WorkQueue{Depth: 5000})}, want: "5000 items wait", state: stuck.Warning},
		"a few errors":             {pods: []live.ControllerMetrics{tried(live.ReconcileCount{Total: 100, Failed: 20})}},
		"all of few fail":          {pods: []live.ControllerMetrics{tried(live.ReconcileCount{Total: 3, Failed: 3})}},
		"most fail":                {pods: []live.ControllerMetrics{tried(live.ReconcileCount{Total: 100, Failed: 80})}, want: "80 of 100", state: stuck.Warning},
		"one of two leads":         {pods: []live.ControllerMetrics{leads(false), leads(true)}},
		"none of two leads":        {pods: []live.ControllerMetrics{leads(false), leads(false)}, want: "in each of 2 pods", state: stuck.Unhealthy},
		"one that is not read may": {pods: []live.ControllerMetrics{leads(false)}, partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controllerWorkload{Candidate: controller.Candidate{Workload: cluster.Workload{Namespace: "ops", Name: "operator"}}}
			got := controllerMetricsProblems(c, podMetrics{samples: test.pods, complete: !test.partial})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("there is a problem: %+v", got)
			case test.want != "" && (len(got) != 1 || got[0].State != test.state || !strings.Contains(strings.Join(got[0].Evidence, "\n"), test.want)):
				t.Errorf("it is not said that %q: %+v", test.want, got)
			}
		})
	}
}

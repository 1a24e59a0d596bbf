package health

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestOverworked(t *testing.T) {
	queue := func(q cluster.WorkQueue) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{Queues: map[string]cluster.WorkQueue{"widget": q}}
	}
	tried := func(r cluster.ReconcileCount) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{Reconciles: map[string]cluster.ReconcileCount{"widget": r}}
	}
	leads := func(yes bool) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{IsLeader: map[string]bool{"lock": yes}}
	}
	for name, test := range map[string]struct {
		pods    []cluster.ControllerMetrics
		partial bool
		want    string
		state   stuck.State
	}{
		"nothing told":             {},
		"idle":                     {pods: []cluster.ControllerMetrics{queue(cluster.WorkQueue{})}},
		"at work":                  {pods: []cluster.ControllerMetrics{queue(cluster.WorkQueue{Depth: 30, LongestRunning: time.Minute})}},
		"stuck on one":             {pods: []cluster.ControllerMetrics{queue(cluster.WorkQueue{Depth: 30, LongestRunning: time.Hour})}, want: "one item for 60m (30 wait)", state: stuck.Warning},
		"far behind":               {pods: []cluster.ControllerMetrics{queue(cluster.WorkQueue{Depth: 5000})}, want: "5000 items wait", state: stuck.Warning},
		"a few errors":             {pods: []cluster.ControllerMetrics{tried(cluster.ReconcileCount{Total: 100, Failed: 20})}},
		"all of few fail":          {pods: []cluster.ControllerMetrics{tried(cluster.ReconcileCount{Total: 3, Failed: 3})}},
		"most fail":                {pods: []cluster.ControllerMetrics{tried(cluster.ReconcileCount{Total: 100, Failed: 80})}, want: "80 of the 100", state: stuck.Warning},
		"one of two leads":         {pods: []cluster.ControllerMetrics{leads(false), leads(true)}},
		"none of two leads":        {pods: []cluster.ControllerMetrics{leads(false), leads(false)}, want: "in each of 2 pods", state: stuck.Unhealthy},
		"one that is not seen may": {pods: []cluster.ControllerMetrics{leads(false)}, partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controllerWorkload{Candidate: owner.Candidate{Workload: cluster.Workload{Namespace: "ops", Name: "operator"}}}
			got := controllerMetricsProblems(c, podMetrics{samples: test.pods, complete: !test.partial})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("something is said to be ill: %+v", got)
			case test.want != "" && (len(got) != 1 || got[0].State != test.state || !strings.Contains(strings.Join(got[0].Evidence, "\n"), test.want)):
				t.Errorf("it is not said that %q: %+v", test.want, got)
			}
		})
	}
}

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
	queue := func(q cluster.Queue) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{Queues: map[string]cluster.Queue{"widget": q}}
	}
	tried := func(r cluster.Reconciles) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{Reconciles: map[string]cluster.Reconciles{"widget": r}}
	}
	leads := func(yes bool) cluster.ControllerMetrics {
		return cluster.ControllerMetrics{Leads: map[string]bool{"lock": yes}}
	}
	for name, test := range map[string]struct {
		pods    []cluster.ControllerMetrics
		partial bool
		want    string
		state   stuck.State
	}{
		"nothing told":             {},
		"idle":                     {pods: []cluster.ControllerMetrics{queue(cluster.Queue{})}},
		"at work":                  {pods: []cluster.ControllerMetrics{queue(cluster.Queue{Depth: 30, Longest: time.Minute})}},
		"stuck on one":             {pods: []cluster.ControllerMetrics{queue(cluster.Queue{Depth: 30, Longest: time.Hour})}, want: "one item for 60m (30 wait)", state: stuck.Doubtful},
		"far behind":               {pods: []cluster.ControllerMetrics{queue(cluster.Queue{Depth: 5000})}, want: "5000 items wait", state: stuck.Doubtful},
		"a few errors":             {pods: []cluster.ControllerMetrics{tried(cluster.Reconciles{All: 100, Failed: 20})}},
		"all of few fail":          {pods: []cluster.ControllerMetrics{tried(cluster.Reconciles{All: 3, Failed: 3})}},
		"most fail":                {pods: []cluster.ControllerMetrics{tried(cluster.Reconciles{All: 100, Failed: 80})}, want: "80 of the 100", state: stuck.Doubtful},
		"one of two leads":         {pods: []cluster.ControllerMetrics{leads(false), leads(true)}},
		"none of two leads":        {pods: []cluster.ControllerMetrics{leads(false), leads(false)}, want: "in each of 2 pods", state: stuck.Ill},
		"one that is not seen may": {pods: []cluster.ControllerMetrics{leads(false)}, partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{Candidate: owner.Candidate{Workload: cluster.Workload{Namespace: "ops", Name: "operator"}}}
			got := overworked(c, measured{pods: test.pods, all: !test.partial})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("something is said to be ill: %+v", got)
			case test.want != "" && (len(got) != 1 || got[0].State != test.state || !strings.Contains(strings.Join(got[0].Evidence, "\n"), test.want)):
				t.Errorf("it is not said that %q: %+v", test.want, got)
			}
		})
	}
}

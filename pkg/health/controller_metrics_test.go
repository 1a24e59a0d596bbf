package health

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
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
	informer := func(i live.InformerMetrics) live.ControllerMetrics {
		return live.ControllerMetrics{Informers: map[schema.GroupResource]live.InformerMetrics{widgets.GVR().GroupResource(): i}}
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
		"a long informer queue":    {pods: []live.ControllerMetrics{informer(live.InformerMetrics{Queued: 4000})}, want: "informer of widgets.example.com: 4000 changes wait", state: stuck.Warning},
		"slow handlers":            {pods: []live.ControllerMetrics{informer(live.InformerMetrics{Processed: 40, ProcessingTime: 2 * time.Minute})}, want: "took 3s for each of 40 changes", state: stuck.Warning},
		"one slow change":          {pods: []live.ControllerMetrics{informer(live.InformerMetrics{Processed: 2, ProcessingTime: 2 * time.Minute})}},
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

// An informer that has not received a change is late where the change is old enough for a bookmark to have come.
func TestLateInformers(t *testing.T) {
	object := stuck.Object{Type: widgets, Namespace: "shop", Name: "w1", ResourceVersion: "100", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/hold"}}
	standby := map[string]bool{"lock": false}
	for name, test := range map[string]struct {
		store   uint64
		leads   map[string]bool
		version string
		changed time.Duration
		want    bool
	}{
		"late":                 {store: 99, version: "100", changed: time.Hour, want: true},
		"up to date":           {store: 100, version: "100", changed: time.Hour},
		"no such metric":       {version: "100", changed: time.Hour},
		"changed just now":     {store: 99, version: "100", changed: time.Minute},
		"changed meanwhile":    {store: 99, version: "101", changed: time.Hour},
		"another pod leads":    {store: 99, version: "100", changed: time.Hour, leads: standby},
		"this one leads":       {store: 99, version: "100", changed: time.Hour, leads: map[string]bool{"lock": true}, want: true},
		"leads one of the two": {store: 99, version: "100", changed: time.Hour, leads: map[string]bool{"a": true, "b": false}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newRecordedChecker(t, recording.Answer{Question: "metadata of widgets.example.com/w1 in shop", Objects: []map[string]any{{"metadata": map[string]any{
				"namespace": "shop", "name": "w1", "resourceVersion": test.version,
				"managedFields": []any{map[string]any{"manager": "kubectl", "operation": "Update", "time": now.Add(-test.changed).Format(time.RFC3339)}},
			}}}})
			c.snapshot.deleting = []stuck.Object{object}
			w := &controllerWorkload{Candidate: controller.Candidate{Workload: cluster.Workload{Namespace: "ops", Name: "operator"}}, finalizers: []typeFinalizer{{cluster.TypeNameOf(widgets), "example.com/hold"}}}
			sample := live.ControllerMetrics{IsLeader: test.leads, Informers: map[schema.GroupResource]live.InformerMetrics{widgets.GVR().GroupResource(): {StoreVersion: test.store}}}
			if got := c.lateInformers(w, podMetrics{samples: []live.ControllerMetrics{sample}}); len(got) > 0 != test.want {
				t.Errorf("it found %+v; gaps %v", got, c.view.AllGaps())
			}
		})
	}
}

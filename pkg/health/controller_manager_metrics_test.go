package health

import (
	"cmp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A controller whose work queue the leader does not have does not run, unless the flags disable it, which is found elsewhere.
func TestControllerManagerMetrics(t *testing.T) {
	all := map[string]live.WorkQueue{}
	for _, name := range builtInQueues {
		all[name] = live.WorkQueue{}
	}
	with := func(name string, q live.WorkQueue) map[string]live.WorkQueue {
		out := map[string]live.WorkQueue{name: q}
		for other := range all {
			if other != name {
				out[other] = live.WorkQueue{}
			}
		}
		return out
	}
	without := func(name string) map[string]live.WorkQueue {
		out := with(name, live.WorkQueue{})
		delete(out, name)
		return out
	}
	for name, test := range map[string]struct {
		queues  map[string]live.WorkQueue
		flags   string
		standby bool
		// leads is for how long it has led, an hour where it is 0; only is the type that the checks are about.
		leads   time.Duration
		only    string
		want    string // in the first problem
		details string
	}{
		"all run":            {queues: with("namespace", live.WorkQueue{Depth: 2, Done: 10, WorkTime: 12 * time.Second}), details: "its namespace controller: 2 in the queue, 1.2s on average"},
		"one does not":       {queues: without("pvcprotection"), want: "leads without its controller persistentvolumeclaim-protection-controller", details: "(its work queues): namespace, garbage-collector, persistentvolume-protection"},
		"it has just begun":  {queues: without("pvcprotection"), leads: time.Minute},
		"nobody knows":       {queues: without("pvcprotection"), leads: -1},
		"another type":       {queues: with("job", live.WorkQueue{LongestRunning: time.Hour}), only: "persistentvolumes"},
		"the type":           {queues: with("pvprotection", live.WorkQueue{LongestRunning: time.Hour}), only: "persistentvolumes", want: "is behind"},
		"a type is absent":   {queues: without("resource_claim")},
		"one is disabled":    {queues: without("job"), flags: "--controllers=*,-job"},
		"another name":       {queues: map[string]live.WorkQueue{"things": {}}},
		"it does not lead":   {queues: without("namespace"), standby: true},
		"one item hangs":     {queues: with("namespace", live.WorkQueue{LongestRunning: time.Hour}), want: "controller namespace-controller of kube-controller-manager is behind"},
		"a queue is long":    {queues: with("garbage_collector_attempt_to_delete", live.WorkQueue{Depth: 4000}), want: "controller garbage-collector-controller of kube-controller-manager is behind"},
		"a queue has a few ": {queues: with("namespace", live.WorkQueue{Depth: 40})},
	} {
		pod := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"command": []any{"kube-controller-manager", test.flags}}}}}
		lease := map[string]any{"metadata": map[string]any{"namespace": "kube-system", "name": "kube-controller-manager"}}
		if test.leads >= 0 {
			lease["spec"] = map[string]any{"acquireTime": now.Add(-cmp.Or(test.leads, time.Hour)).Format(metav1.RFC3339Micro)}
		}
		c := newRecordedChecker(t, recording.Answer{Question: "get leases.coordination.k8s.io/kube-controller-manager in kube-system", Objects: []map[string]any{lease}}, recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: []map[string]any{pod}})
		for _, w := range builtInControllers {
			if w.controller != cluster.ResourceClaimController {
				c.Served = append(c.Served, stuck.Type{Group: w.group, Version: "v1", Resource: w.resource})
			}
		}
		if test.only != "" {
			c.Types = []stuck.Type{{Version: "v1", Resource: test.only}}
			for i := range c.Served {
				c.Served[i].Listable = true
			}
		}
		problems, details := c.managerProblems(managerMetrics{ControllerMetrics: live.ControllerMetrics{Queues: test.queues}, found: !test.standby})
		if len(problems) > 0 != (test.want != "") || test.want != "" && !strings.Contains(problems[0].Message, test.want) || !strings.Contains(strings.Join(details, "; "), test.details) {
			t.Errorf("%s: %+v, %q", name, problems, details)
		}
		if waits := test.leads != 0; len(c.view.AllGaps()) > 0 != waits {
			t.Errorf("%s: gaps %v", name, c.view.AllGaps())
		}
	}
}

// Metrics of a Pod that is not ready are not read, which is said.
func TestControllerManagerPodThatIsNotReady(t *testing.T) {
	pod := map[string]any{"metadata": map[string]any{"namespace": "kube-system", "name": "kube-controller-manager-a"}}
	c := newRecordedChecker(t, recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: []map[string]any{pod}})
	if m := c.readControllerManager(t.Context()); m.complete || m.found || len(c.view.AllGaps()) != 1 {
		t.Errorf("%+v; gaps %v", m, c.view.AllGaps())
	}
}

package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// podMetrics is what the Pods of one controller tell.
type podMetrics struct {
	samples []live.ControllerMetrics
	// complete says that every Pod that is ready has told.
	complete bool
}

// maxPods is how many Pods of one controller are asked: all but the one that
// leads do nothing.
const maxPods = 5

// errNoMetricsPort is what a Pod has instead of metrics that could be asked for.
var errNoMetricsPort = errors.New("no port of it is named for metrics")

// checkControllerMetrics asks those that run for their own metrics, and says how many
// Pods have answered, and whether all have.
func (c *checker) checkControllerMetrics(ctx context.Context, all []*controllerWorkload) (out []stuck.Problem, read int, complete bool) {
	found := make([]podMetrics, len(all))
	var wait sync.WaitGroup
	for i, w := range all {
		if w.health.Alive == stuck.Running {
			wait.Go(func() { found[i] = c.readPodMetrics(ctx, w) })
		}
	}
	wait.Wait()
	complete = true
	for i, w := range all {
		read += len(found[i].samples)
		complete = complete && (found[i].complete || w.health.Alive != stuck.Running)
		out = append(out, controllerMetricsProblems(w, found[i])...)
	}
	return out, read, complete
}

// readPodMetrics reads the metrics of a controller's Pods.
func (c *checker) readPodMetrics(ctx context.Context, w *controllerWorkload) podMetrics {
	pods := c.view.WorkloadPods(w.Workload)
	ready := slices.DeleteFunc(slices.Clone(pods.Items), func(p corev1.Pod) bool { return !cluster.IsPodReady(p) })
	out := podMetrics{complete: pods.Complete && len(ready) <= maxPods}
	for _, pod := range ready[:min(len(ready), maxPods)] {
		ports := live.MetricsPorts(pod)
		err := errNoMetricsPort
		for _, port := range ports {
			var m live.ControllerMetrics
			if m, err = c.server.ControllerMetrics(ctx, pod, port); err == nil {
				out.samples = append(out.samples, m)
				break
			}
		}
		if err != nil {
			out.complete = false
			c.view.AddPodMetricsGap(pod, err)
		}
	}
	return out
}

const (
	// maxItemDuration is how long one item may take before that is worth a word.
	maxItemDuration = 10 * time.Minute
	// maxQueueDepth is how many items may wait.
	maxQueueDepth = 1000
	// minReconciles is how many attempts there have to be before their failing tells.
	minReconciles = 20
)

// controllerMetricsProblems is what the metrics of a controller tell of it.
func controllerMetricsProblems(c *controllerWorkload, m podMetrics) []stuck.Problem {
	var evidence []string
	for _, pod := range m.samples {
		for _, name := range slices.Sorted(maps.Keys(pod.Queues)) {
			if q := pod.Queues[name]; q.LongestRunning > maxItemDuration {
				evidence = append(evidence, fmt.Sprintf("a worker of its queue %s has been busy with one item for %s (%d wait)", name, duration.HumanDuration(q.LongestRunning), q.Depth))
			} else if q.Depth >= maxQueueDepth {
				evidence = append(evidence, fmt.Sprintf("%d items wait in its queue %s", q.Depth, name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(pod.Reconciles)) {
			if r := pod.Reconciles[name]; r.Total >= minReconciles && 2*r.Failed > r.Total {
				evidence = append(evidence, fmt.Sprintf("%d of the %d reconciles of its controller %s ended with an error", r.Failed, r.Total, name))
			}
		}
	}
	var out []stuck.Problem
	workload := fmt.Sprintf("%s -n %s", c.Ref(), c.Namespace)
	logs := stuck.Step{Action: stuck.ActionCheck, Description: "see what it says of it", Command: stuck.Kubectlf(c.Namespace, "logs %s --all-pods --since=15m", c.Ref())}
	if len(evidence) > 0 {
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: "controller-overworked", Subject: c.Culprit(), Summary: workload + " does not get its work done", Evidence: evidence,
			Impact: []string{"objects wait their turn, those that are being deleted too: " + c.finalizersText()}, Steps: []stuck.Step{logs},
		})
	}
	for _, election := range m.electionsWithoutLeader() {
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "controller-without-a-leader", Subject: c.Culprit(), Summary: fmt.Sprintf("no pod of %s says that it leads in election %s", workload, cmp.Or(election, "without a name")),
			Evidence: []string{fmt.Sprintf("leader_election_master_status is 0 in each of %s", stuck.Count(len(m.samples), "pod"))},
			Impact:   []string{"only the leader works, so nothing is done: " + c.finalizersText()}, Steps: []stuck.Step{logs},
		})
	}
	return out
}

// electionsWithoutLeader are the elections that no Pod says to have won. One that was not asked may
// have.
func (m podMetrics) electionsWithoutLeader() []string {
	won := map[string]bool{}
	for _, pod := range m.samples {
		for name, leads := range pod.IsLeader {
			won[name] = won[name] || leads
		}
	}
	if !m.complete {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(won)), func(name string) bool { return won[name] })
}

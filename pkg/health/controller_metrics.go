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

// podMetrics are the metrics of the Pods of one controller.
type podMetrics struct {
	samples []live.ControllerMetrics
	// complete says that the metrics of every ready Pod could be read.
	complete bool
}

// maxPods is how many Pods of one controller are read: all but the leader are idle.
const maxPods = 5

// errNoMetricsPort is the error for a Pod without a port for metrics.
var errNoMetricsPort = errors.New("no port is named for metrics")

// checkControllerMetrics reads the metrics of the running controllers, and says of how many
// Pods, and whether of all.
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
		for _, problem := range slices.Concat(controllerMetricsProblems(w, found[i]), c.lateInformers(w, found[i])) {
			if problem.State == stuck.Unhealthy {
				problem.Blocks = c.blockedBy(w.finalizers)
			}
			out = append(out, problem)
		}
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
	// maxItemDuration is how long one item may take before that is a warning.
	maxItemDuration = 10 * time.Minute
	// maxQueueDepth is how many items may wait.
	maxQueueDepth = 1000
	// minReconciles is how many reconciles there have to be before their errors count.
	minReconciles = 20
)

// controllerMetricsProblems are the problems of a controller, by its metrics.
func controllerMetricsProblems(c *controllerWorkload, m podMetrics) []stuck.Problem {
	var evidence []string
	for _, pod := range m.samples {
		for _, name := range slices.Sorted(maps.Keys(pod.Queues)) {
			if q := pod.Queues[name]; q.LongestRunning > maxItemDuration {
				evidence = append(evidence, fmt.Sprintf("work queue %s: a worker has processed one item for %s (%d wait)", name, duration.HumanDuration(q.LongestRunning), q.Depth))
			} else if q.Depth >= maxQueueDepth {
				evidence = append(evidence, fmt.Sprintf("work queue %s: %d items wait; %d of %d were added again after an error", name, q.Depth, q.Retries, q.Adds))
			}
		}
		evidence = append(evidence, busyInformers(pod)...)
		for _, name := range slices.Sorted(maps.Keys(pod.Reconciles)) {
			if r := pod.Reconciles[name]; r.Total >= minReconciles && 2*r.Failed > r.Total {
				evidence = append(evidence, fmt.Sprintf("controller %s: %d of %d reconciles ended with an error", name, r.Failed, r.Total))
			}
		}
	}
	var out []stuck.Problem
	workload := c.RefInNamespace()
	logs := stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("what does the log of %s say?", c.Ref()), Command: stuck.Kubectlf(c.Namespace, "logs %s --all-pods --since=15m", c.Ref())}
	if len(evidence) > 0 {
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: "controller-overworked", Subject: c.Culprit(), Message: workload + " is behind with its work", Evidence: evidence,
			Impact: []string{"objects wait in its queue, those that are being deleted too: " + c.finalizersText()}, Steps: []stuck.Step{logs},
		})
	}
	for _, election := range m.electionsWithoutLeader() {
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "controller-without-a-leader", Subject: c.Culprit(), Message: fmt.Sprintf("no pod of %s leads in election %s", workload, cmp.Or(election, "without a name")),
			Evidence: []string{fmt.Sprintf("leader_election_master_status is 0 in each of %s", stuck.Count(len(m.samples), "pod"))},
			Impact:   []string{"only the leader works, so these finalizers are not removed: " + c.finalizersText()}, Steps: []stuck.Step{logs},
		})
	}
	return out
}

// electionsWithoutLeader are the elections in which no Pod leads. A Pod that was not read
// may lead.
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

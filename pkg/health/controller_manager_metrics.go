package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controllerManagerElection is the election of kube-controller-manager in its metrics.
const controllerManagerElection = "kube-controller-manager"

// controllerStartTime is how long kube-controller-manager may take to make the controllers once it
// has acquired its Lease.
const controllerStartTime = 2 * time.Minute

// builtInQueues are work queues of the controllers of kube-controller-manager (the names are in
// kubernetes/pkg/controller): a leader makes them when it builds the controllers, one after the
// other once it has its Lease. Of running_managed_controllers there are samples for controllers of clouds only.
var builtInQueues = map[cluster.BuiltInController]string{
	cluster.NamespaceController: "namespace", cluster.GarbageCollector: "garbage_collector_attempt_to_delete",
	cluster.ClaimProtectionController: "pvcprotection", cluster.VolumeProtectionController: "pvprotection",
	cluster.JobController: "job", cluster.PodGarbageCollector: "orphaned_pods_nodes", cluster.AttachDetachController: "pvcs",
	cluster.QuotaController: "resourcequota_primary", cluster.ResourceClaimController: "resource_claim",
}

// managerMetrics are the metrics of kube-controller-manager, of the Pod that leads.
type managerMetrics struct {
	live.ControllerMetrics
	// found says that the leader was read, and complete that nothing is missing.
	found, complete bool
}

// readControllerManager reads the metrics of the Pods of kube-controller-manager. Most reject that:
// the API server passes no credentials on to a Pod.
func (c *checker) readControllerManager(ctx context.Context) managerMetrics {
	pods := c.view.ControllerManagerPods()
	out := managerMetrics{complete: pods.Complete}
	var notReady []corev1.Pod
	for _, pod := range pods.Items {
		if !cluster.IsPodReady(pod) {
			notReady = append(notReady, pod)
			continue
		}
		m, err := c.server.ControllerMetrics(ctx, pod, live.MetricsPort{Number: cluster.ControllerManagerPort(pod), TLS: true, Path: "/metrics"})
		if err != nil {
			out.complete = false
			c.view.AddPodMetricsGap(pod, err)
			continue
		}
		if m.IsLeader[controllerManagerElection] {
			return managerMetrics{ControllerMetrics: m, found: true, complete: true}
		}
	}
	for _, pod := range notReady {
		out.complete = false
		c.view.AddPodMetricsGap(pod, errors.New("the pod is not ready"))
	}
	return out
}

// managerProblems are the problems of the controllers in kube-controller-manager, by the metrics of
// its leader, and what those say of its queues. Controllers that the flags disable are a problem of
// their own.
func (c *checker) managerProblems(m managerMetrics) (problems []stuck.Problem, details []string) {
	if !m.found || !slices.ContainsFunc(builtInControllers, func(w builtInWork) bool { return hasQueue(m, w.controller) }) {
		return nil, nil
	}
	var running []string
	var absent []builtInWork
	for _, w := range builtInControllers {
		if w.resource != "" && !c.includesType(w.group, w.resource) {
			continue
		}
		enabled, known := c.view.BuiltInControllerEnabled(w.controller)
		switch {
		case hasQueue(m, w.controller):
			running = append(running, w.controller.Name())
		case (enabled || !known) && c.isServed(w):
			absent = append(absent, w)
		}
	}
	if len(absent) > 0 && c.hasStartedControllers() {
		for _, w := range absent {
			problems = append(problems, c.builtInProblem(w, absentBuiltIn(w.controller)))
		}
	}
	problems = append(problems, c.busyBuiltIns(m)...)
	details = []string{"running in the leader of kube-controller-manager (its work queues): " + strings.Join(running, ", ")}
	if q := m.Queues[builtInQueues[cluster.NamespaceController]]; q.Done > 0 {
		details = append(details, fmt.Sprintf("its namespace controller: %d in the queue, %s on average each time that it works on a namespace", q.Depth, (q.WorkTime/time.Duration(q.Done)).Round(time.Millisecond)))
	}
	if m.CollectorSyncErrors > 0 {
		details = append(details, "its garbage collector could not sync all informers in time "+countTimes(m.CollectorSyncErrors)+" since it started")
	}
	return problems, details
}

// hasStartedControllers reports whether kube-controller-manager has led for long enough that all its
// controllers are made. Where that is not known, it is a gap.
func (c *checker) hasStartedControllers() bool {
	reason := "it is not known since when it leads"
	if l := c.view.Lease(metav1.NamespaceSystem, controllerManagerElection); l.Found() && l.Value.Spec.AcquireTime != nil {
		if c.view.Now().Sub(l.Value.Spec.AcquireTime.Time) > controllerStartTime {
			return true
		}
		reason = fmt.Sprintf("it leads for less than %s, and may still start them", duration.HumanDuration(controllerStartTime))
	}
	c.view.AddGaps(stuck.Gap{Source: "which controllers of kube-controller-manager do not run", Error: reason})
	return false
}

// isServed reports whether the API server serves the type that a controller works on: without it the
// controller need not run.
func (c *checker) isServed(w builtInWork) bool {
	return w.resource == "" || slices.ContainsFunc(c.Served, func(t stuck.Type) bool { return t.Group == w.group && t.Resource == w.resource })
}

func hasQueue(m managerMetrics, by cluster.BuiltInController) bool {
	_, ok := m.Queues[builtInQueues[by]]
	return ok
}

// absentBuiltIn is the problem of a controller that is enabled, as far as is known, and does not run.
func absentBuiltIn(by cluster.BuiltInController) stuck.Problem {
	return stuck.Problem{
		Reason:   "built-in-controller-not-running",
		Message:  fmt.Sprintf("kube-controller-manager leads without its controller %s", by),
		Evidence: []string{"the metrics of its leader have no work queue " + builtInQueues[by]},
		Steps: []stuck.Step{{
			Action: stuck.ActionCheck, Description: "why did it not start? A feature gate or a flag may disable it",
			Command: stuck.Shellf("kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep -i %s", by.Name()),
		}},
	}
}

// busyBuiltIns are the warnings for controllers that are behind.
func (c *checker) busyBuiltIns(m managerMetrics) []stuck.Problem {
	var out []stuck.Problem
	for _, w := range builtInControllers {
		if w.resource != "" && !c.includesType(w.group, w.resource) {
			continue
		}
		name := builtInQueues[w.controller]
		q := m.Queues[name]
		var evidence string
		switch {
		case q.LongestRunning > maxItemDuration:
			evidence = fmt.Sprintf("work queue %s: a worker has processed one item for %s (%d wait)", name, duration.HumanDuration(q.LongestRunning), q.Depth)
		case q.Depth >= maxQueueDepth:
			evidence = fmt.Sprintf("work queue %s: %d items wait; %d of %d were added again after an error", name, q.Depth, q.Retries, q.Adds)
		default:
			continue
		}
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: "built-in-controller-overworked", Subject: stuck.Culprit{Kind: "controller", Name: string(w.controller)},
			Message: fmt.Sprintf("controller %s of kube-controller-manager is behind with its work", w.controller), Evidence: []string{evidence},
			Impact: []string{"late or not at all: " + w.impact},
			Steps: []stuck.Step{{
				Action: stuck.ActionCheck, Description: "what does its log say?",
				Command: "kubectl -n kube-system logs -l component=kube-controller-manager --since=15m",
			}},
		})
	}
	return out
}

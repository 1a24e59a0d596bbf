package health

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkControllers reads the health of the controllers that remove finalizers, and of
// their leader election.
func checkControllers(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	found, seen := c.findControllers(), !c.recordScanGaps()
	out := stuck.Check{Incomplete: !seen}
	byWorkload := map[stuck.Culprit]*controllerWorkload{}
	running := 0
	for _, w := range found.items {
		byWorkload[w.Culprit()] = w
		switch w.health.Alive {
		case stuck.Running:
			running++
		case stuck.NotRunning:
			out.Problems = append(out.Problems, c.controllerDown(w))
		case stuck.RunStateUnknown:
			out.Incomplete = true
		}
	}
	leases := c.checkLeases(byWorkload, found.managerFinalizers)
	out.Problems = append(append(out.Problems, leases.problems...), c.lostLockProblems()...)
	if c.snapshot.moreLocks {
		out.Incomplete = true
		c.view.AddGaps(stuck.Gap{Source: "configmaps that pods may hold as leader-for-life locks", Error: fmt.Sprintf("more than %d, the others were not checked", maxLocks)})
	}
	out.Incomplete = out.Incomplete || !leases.complete || !found.complete
	out.Summary = countSummary(running, len(found.items), "controller", "running", seen && found.complete) + "; " +
		countSummary(leases.expired, leases.total, "lease", "expired", leases.complete)
	disabled, builtIn := c.disabledBuiltInControllers()
	quotas, complete := c.staleQuotas()
	out.Problems = slices.Concat(out.Problems, disabled, quotas)
	out.Incomplete = out.Incomplete || !complete
	out.Details = []string{c.namespaceQueue(), builtIn, countSummary(found.withoutController, found.finalizers, "finalizer", "without a known controller", seen)}
	if c.ControllerMetrics {
		c.addMetrics(ctx, &out, found.items)
	}
	return out
}

// addMetrics adds to the check what the metrics of the controllers say, and those of
// kube-controller-manager.
func (c *checker) addMetrics(ctx context.Context, out *stuck.Check, all []*controllerWorkload) {
	problems, read, complete := c.checkControllerMetrics(ctx, all)
	manager := c.readControllerManager(ctx)
	others, details := c.managerProblems(manager)
	out.Problems = slices.Concat(out.Problems, problems, others)
	out.Incomplete = out.Incomplete || !complete || !manager.complete
	out.Details = append(append(out.Details, fmt.Sprintf("metrics of %s read", stuck.Count(read, "pod"))), details...)
}

// recordScanGaps notes which types could not be read to their end, and reports whether
// there are any: stuck objects may be among them.
func (c *checker) recordScanGaps() bool {
	failed := slices.Clone(c.snapshot.failed)
	for _, l := range c.lists {
		if l.First == nil {
			failed = append(failed, cluster.ListFailure{Type: l.Type, Err: l.Err})
		}
	}
	for _, f := range failed {
		// Any other error is a problem of its own, where lists are checked.
		if apierrors.IsForbidden(f.Err) || !c.hasCheck(List) {
			c.view.AddListGap(f.Type, c.Namespace, f.Err)
		}
	}
	return len(failed) > 0
}

// controllerWorkload is a workload that removes finalizers, and which.
type controllerWorkload struct {
	controller.Candidate
	finalizers []typeFinalizer
	health     controller.Health
}

// controllerList are the controllers of the finalizers in the cluster.
type controllerList struct {
	items []*controllerWorkload
	// finalizers counts the finalizers of each type, and withoutController those without
	// a known controller.
	finalizers, withoutController int
	// managerFinalizers are those that kube-controller-manager removes.
	managerFinalizers []typeFinalizer
	complete          bool
}

// findControllers looks for the controllers of all finalizers. Of several candidates for
// one finalizer all are kept only where none of them runs.
func (c *checker) findControllers() controllerList {
	keys := slices.SortedFunc(maps.Keys(c.snapshot.byFinalizer), func(a, b typeFinalizer) int {
		return cmp.Or(cmp.Compare(a.Kind.Plural, b.Kind.Plural), cmp.Compare(a.Finalizer, b.Finalizer))
	})
	keys = slices.DeleteFunc(keys, func(k typeFinalizer) bool {
		return k.Finalizer == metav1.FinalizerDeleteDependents || k.Finalizer == metav1.FinalizerOrphanDependents
	})
	results := make([]controller.Controller, len(keys))
	slots := make(chan struct{}, cluster.MaxConcurrentRequests)
	var wait sync.WaitGroup
	for i, key := range keys {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = controller.Find(c.view, c.catalog, c.snapshot.byFinalizer[key], key.Finalizer)
		})
	}
	wait.Wait()
	out := controllerList{finalizers: len(keys), complete: true}
	byName := map[stuck.Culprit]*controllerWorkload{}
	for i, o := range results {
		out.complete = out.complete && o.Complete
		if len(o.Candidates) == 0 && o.NonWorkloadRemover() == "" {
			out.withoutController++
		}
		if o.NonWorkloadRemover() == catalog.RemovedByControllerManager {
			out.managerFinalizers = append(out.managerFinalizers, keys[i])
		}
		alive := o.Alive(c.view)
		for _, s := range o.Candidates {
			health := controller.CheckHealth(c.view, s.Workload)
			if health.Alive != alive {
				continue
			}
			w := byName[s.Culprit()]
			if w == nil {
				w = &controllerWorkload{Candidate: s, health: health}
				byName[s.Culprit()] = w
				out.items = append(out.items, w)
			}
			w.finalizers = append(w.finalizers, keys[i])
		}
	}
	slices.SortFunc(out.items, func(a, b *controllerWorkload) int { return cmp.Compare(a.Culprit().String(), b.Culprit().String()) })
	return out
}

// controllerDown is a controller that does not run.
func (c *checker) controllerDown(w *controllerWorkload) stuck.Problem {
	faultText := map[controller.Fault]string{
		controller.FaultScaledToZero: "is scaled to 0", controller.FaultCrashLooping: "crashes", controller.FaultCannotStart: "cannot start",
		controller.FaultNotReady: "is not ready",
	}[w.health.Fault]
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "controller-down", Causes: faultCauses(w.health.Fault), Subject: w.Culprit(),
		Message:  fmt.Sprintf("%s, the controller of finalizers, %s", w.RefInNamespace(), cmp.Or(faultText, "is not running")),
		Evidence: slices.Concat(w.health.Evidence, []string{"controller of " + w.finalizersText(), "known by this clue: " + w.Clues[0]}),
		Blocks:   c.blockedBy(w.finalizers),
		Steps:    []stuck.Step{cannotStartStep(w.Workload)},
	}
	if len(problem.Blocks) == 0 {
		problem.Impact = []string{"no object waits now; an object that is deleted with these finalizers stays in Terminating"}
	}
	switch w.health.Fault {
	case controller.FaultScaledToZero:
		problem.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("scale up %s", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "scale %s --replicas=1", w.Ref())}}
	case controller.FaultCrashLooping:
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("why does %s crash?", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "logs %s --previous", w.Ref())}}
	default:
	}
	return problem
}

// cannotStartStep is the step for a workload that cannot start.
func cannotStartStep(w cluster.Workload) stuck.Step {
	if w.Deleting {
		return stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("%s is being deleted; if still needed, reinstall it after that", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "get %s", w.Ref())}
	}
	return stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("why are the pods of %s not running?", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "get pods -o wide")}
}

// finalizersText names the finalizers of a controller.
func (c *controllerWorkload) finalizersText() string {
	var out []string
	for _, h := range c.finalizers {
		out = append(out, h.Finalizer+" on "+h.Kind.Plural)
	}
	return joinFirst(out)
}

// blockedBy are the stuck objects that have one of some finalizers, and the namespaces
// that wait for them.
func (c *checker) blockedBy(finalizers []typeFinalizer) []stuck.Object {
	return c.snapshot.withNamespaces(c.stuckWithFinalizer(func(o stuck.Object, finalizer string) bool {
		return slices.Contains(finalizers, typeFinalizer{cluster.TypeNameOf(o.Type), finalizer})
	}))
}

// lostLockProblems are the leader-for-life locks of Pods that do not exist.
func (c *checker) lostLockProblems() []stuck.Problem {
	var out []stuck.Problem
	for _, lock := range c.snapshot.locks {
		for _, by := range lock.Owners {
			if by.Kind != "Pod" {
				continue
			}
			if l := controller.LeadershipByPodLock(c.view, lock, by.Name); l.Lost {
				out = append(out, stuck.Problem{
					State: stuck.Unhealthy, Reason: "lock-of-a-missing-pod", Subject: l.Lock,
					Message:  fmt.Sprintf("%s is the leader-for-life lock of pod/%s, which does not exist", stuck.RefInNamespace("configmap", lock.Name, lock.Namespace), by.Name),
					Evidence: []string{fmt.Sprintf("pod/%s is the owner of configmap/%s, but the garbage collector has not deleted it", by.Name, lock.Name)},
					Impact:   []string{"pods that wait for this lock wait indefinitely, and none of them leads"},
					Steps:    []stuck.Step{{Action: stuck.ActionDelete, Description: "the lock: the next pod creates it again and leads", Command: stuck.Kubectlf(lock.Namespace, "delete configmap %s", lock.Name)}},
				})
			}
		}
	}
	return out
}

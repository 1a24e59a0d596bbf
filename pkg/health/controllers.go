package health

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkControllers looks at those who remove finalizers, and at the Leases by
// which they lead.
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
	leases := c.checkLeases(byWorkload)
	out.Problems = append(append(out.Problems, leases.problems...), c.lostLockProblems()...)
	if c.snapshot.moreLocks {
		out.Incomplete = true
		c.view.AddGaps(stuck.Gap{Source: "configmaps that pods may hold as locks", Error: fmt.Sprintf("more than %d, so the rest were not looked at", maxLocks)})
	}
	out.Incomplete = out.Incomplete || !leases.complete || !found.complete
	out.Summary = strings.Join([]string{
		countSummary(running, len(found.items), "controller", "of finalizers running", seen && found.complete),
		countSummary(found.withoutController, found.finalizers, "finalizer", "without a known one", seen),
		countSummary(leases.expired, leases.total, "lease", "to lead by expired", leases.complete),
	}, "; ")
	if c.ControllerMetrics {
		problems, read, complete := c.checkControllerMetrics(ctx, found.items)
		out.Problems = append(out.Problems, problems...)
		out.Incomplete = out.Incomplete || !complete
		out.Summary += fmt.Sprintf("; metrics of %s read", stuck.Count(read, "pod"))
	}
	return out
}

// recordScanGaps notes which types could not be read to their end, and reports whether
// there are any: what waits may be among them.
func (c *checker) recordScanGaps() bool {
	failed := slices.Clone(c.snapshot.failed)
	for _, l := range c.lists {
		if l.First == nil {
			failed = append(failed, cluster.ListFailure{Type: l.Type, Err: l.Err})
		}
	}
	for _, f := range failed {
		// What is no lack of rights is a problem of its own, where lists are checked.
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

// controllerList is what could be found out about who removes the finalizers that there
// are.
type controllerList struct {
	items []*controllerWorkload
	// finalizers counts them, on each type, and unknown those of which nobody is
	// known to remove them.
	finalizers, withoutController int
	complete                      bool
}

// findControllers looks for the controllers of all finalizers. Several that each may be
// one are all looked at only where none of them runs.
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
		controller.FaultScaledToZero: "is scaled to zero", controller.FaultCrashLooping: "crashes", controller.FaultCannotStart: "does not come to run",
		controller.FaultNotReady: "is not ready",
	}[w.health.Fault]
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "controller-down", Subject: w.Culprit(),
		Summary:  fmt.Sprintf("%s -n %s, which removes finalizers, %s", w.Ref(), w.Namespace, cmp.Or(faultText, "does not run")),
		Evidence: slices.Concat(w.health.Evidence, []string{"it is held to be the owner of " + w.finalizersText(), "because " + w.Clues[0]}),
		Impact:   c.controllerImpact(w),
		Steps:    []stuck.Step{cannotStartStep(w.Workload)},
	}
	switch w.health.Fault {
	case controller.FaultScaledToZero:
		problem.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "scale it up again", Command: stuck.Kubectlf(w.Namespace, "scale %s --replicas=1", w.Ref())}}
	case controller.FaultCrashLooping:
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see why it crashes", Command: stuck.Kubectlf(w.Namespace, "logs %s --previous", w.Ref())}}
	default:
	}
	return problem
}

// cannotStartStep is what to do about a workload that does not come to run.
func cannotStartStep(w cluster.Workload) stuck.Step {
	if w.Deleting {
		return stuck.Step{Action: stuck.ActionCheck, Description: "if it is still wanted, let its deletion finish, and install its software again", Command: stuck.Kubectlf(w.Namespace, "get %s", w.Ref())}
	}
	return stuck.Step{Action: stuck.ActionCheck, Description: "see what its pods do", Command: stuck.Kubectlf(w.Namespace, "get pods -o wide")}
}

// finalizersText names the finalizers of a controller.
func (c *controllerWorkload) finalizersText() string {
	var out []string
	for _, h := range c.finalizers {
		out = append(out, h.Finalizer+" on "+h.Kind.Plural)
	}
	return joinFirst(out)
}

// controllerImpact says what waits for a controller.
func (c *checker) controllerImpact(w *controllerWorkload) []string {
	waiting := c.stuckObjects(func(o stuck.Object, finalizer string) bool {
		return slices.Contains(w.finalizers, typeFinalizer{cluster.TypeNameOf(o.Type), finalizer})
	})
	if len(waiting) == 0 {
		return []string{"nothing waits for it yet; what is deleted with its finalizers will stay"}
	}
	return []string{fmt.Sprintf("it holds up %s being deleted: %s", stuck.Count(len(waiting), "object"), joinObjects(waiting))}
}

// lostLockProblems are the ConfigMaps that a Pod holds for life which is gone.
func (c *checker) lostLockProblems() []stuck.Problem {
	var out []stuck.Problem
	for _, lock := range c.snapshot.locks {
		for _, by := range lock.Owners {
			if by.Kind != "Pod" {
				continue
			}
			if l := controller.LeadershipByPodLock(c.view, lock, by.Name); l.Lost {
				out = append(out, stuck.Problem{
					State: stuck.Unhealthy, Reason: "lock-of-a-pod-that-is-gone", Subject: l.Lock, Summary: fmt.Sprintf("configmap/%s -n %s is a lock for life of a pod that is gone", lock.Name, lock.Namespace),
					Evidence: []string{l.Description, "the garbage collector should have deleted it"},
					Impact:   []string{"whoever waits for the lock waits for ever, and does not lead"},
					Steps:    []stuck.Step{{Action: stuck.ActionDelete, Description: "delete the lock: the next pod takes it", Command: stuck.Kubectlf(lock.Namespace, "delete configmap %s", lock.Name)}},
				})
			}
		}
	}
	return out
}

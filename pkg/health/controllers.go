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
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkControllers looks at those who remove finalizers, and at the Leases by
// which they lead.
func checkControllers(ctx context.Context, e *examination, _ *types) stuck.CheckUp {
	found, seen := e.controllers(), !e.unsurveyed()
	out := stuck.CheckUp{Incomplete: !seen}
	owners := map[stuck.Culprit]*controller{}
	running := 0
	for _, c := range found.all {
		owners[c.Culprit()] = c
		switch c.health.Alive {
		case stuck.AliveYes:
			running++
		case stuck.AliveNo:
			out.Ailments = append(out.Ailments, e.down(c))
		case stuck.AliveUnknown:
			out.Incomplete = true
		}
	}
	leases := e.leases(owners)
	out.Ailments = append(append(out.Ailments, leases.ailments...), e.lostLocks()...)
	if e.world.moreLocks {
		out.Incomplete = true
		e.see.Note(stuck.Gap{Source: "configmaps that pods may hold as locks", Error: fmt.Sprintf("more than %d, so the rest were not looked at", mostLocks)})
	}
	out.Incomplete = out.Incomplete || !leases.complete || !found.complete
	out.Summary = strings.Join([]string{
		share(running, len(found.all), "controller", "of finalizers running", seen && found.complete),
		share(found.unknown, found.finalizers, "finalizer", "without a known one", seen),
		share(leases.expired, leases.all, "lease", "to lead by expired", leases.complete),
	}, "; ")
	if e.ControllerMetrics {
		ailments, read, complete := e.readControllers(ctx, found.all)
		out.Ailments = append(out.Ailments, ailments...)
		out.Incomplete = out.Incomplete || !complete
		out.Summary += fmt.Sprintf("; metrics of %s read", counted(read, "pod"))
	}
	return out
}

// unsurveyed notes which types could not be read to their end, and says whether
// there are any: what waits may be among them.
func (e *examination) unsurveyed() bool {
	failed := slices.Clone(e.world.failed)
	for _, l := range e.listed {
		if l.First == nil {
			failed = append(failed, cluster.Failure{Type: l.Type, Err: l.Err})
		}
	}
	for _, f := range failed {
		// What is no lack of rights is an ailment of its own, where lists are checked.
		if apierrors.IsForbidden(f.Err) || !e.wants(List) {
			e.see.Unlisted(f.Type, e.Namespace, f.Err)
		}
	}
	return len(failed) > 0
}

// controller is a workload that removes finalizers, and which.
type controller struct {
	owner.Candidate
	held   []holding
	health owner.Health
}

// found is what could be found out about who removes the finalizers that there
// are.
type found struct {
	all []*controller
	// finalizers counts them, on each type, and unknown those of which nobody is
	// known to remove them.
	finalizers, unknown int
	complete            bool
}

// controllers looks for the owners of all finalizers. Several that each may be
// one are all looked at only where none of them runs.
func (e *examination) controllers() found {
	keys := slices.SortedFunc(maps.Keys(e.world.held), func(a, b holding) int {
		return cmp.Or(cmp.Compare(a.Kind.Many, b.Kind.Many), cmp.Compare(a.Finalizer, b.Finalizer))
	})
	keys = slices.DeleteFunc(keys, func(k holding) bool {
		return k.Finalizer == metav1.FinalizerDeleteDependents || k.Finalizer == metav1.FinalizerOrphanDependents
	})
	owners := make([]owner.Owner, len(keys))
	turns := make(chan struct{}, cluster.InFlight)
	var wait sync.WaitGroup
	for i, key := range keys {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			owners[i] = owner.Find(e.see, e.known, e.world.held[key], key.Finalizer)
		})
	}
	wait.Wait()
	out := found{finalizers: len(keys), complete: true}
	byName := map[stuck.Culprit]*controller{}
	for i, o := range owners {
		out.complete = out.complete && o.Complete
		if len(o.Suspects) == 0 && o.BuiltIn() == "" {
			out.unknown++
		}
		alive := o.Alive(e.see)
		for _, s := range o.Suspects {
			health := owner.Examine(e.see, s.Workload)
			if health.Alive != alive {
				continue
			}
			c := byName[s.Culprit()]
			if c == nil {
				c = &controller{Candidate: s, health: health}
				byName[s.Culprit()] = c
				out.all = append(out.all, c)
			}
			c.held = append(c.held, keys[i])
		}
	}
	slices.SortFunc(out.all, func(a, b *controller) int { return cmp.Compare(a.Culprit().String(), b.Culprit().String()) })
	return out
}

// down is a controller that does not run.
func (e *examination) down(c *controller) stuck.Ailment {
	says := map[owner.Fault]string{
		owner.FaultScaledToZero: "is scaled to zero", owner.FaultCrashes: "crashes", owner.FaultCannotStart: "does not come to run",
		owner.FaultNotReady: "is not ready",
	}[c.health.Fault]
	a := stuck.Ailment{
		State: stuck.Ill, Reason: "controller-down", Subject: c.Culprit(),
		Summary:  fmt.Sprintf("%s in namespace %s, which removes finalizers, %s", c.Ref(), c.Namespace, cmp.Or(says, "does not run")),
		Evidence: slices.Concat(c.health.Says, []string{"it is held to be the owner of " + c.holds(), "because " + c.Clues[0]}),
		Hurts:    e.waitsFor(c),
		Fix:      []stuck.Step{{What: "see what its pods do", Command: fmt.Sprintf("kubectl -n %s get pods -o wide", c.Namespace)}},
	}
	switch c.health.Fault {
	case owner.FaultScaledToZero:
		a.Fix = []stuck.Step{{What: "scale it up again", Command: fmt.Sprintf("kubectl -n %s scale %s --replicas=1", c.Namespace, c.Ref())}}
	case owner.FaultCrashes:
		a.Fix = []stuck.Step{{What: "see why it crashes", Command: fmt.Sprintf("kubectl -n %s logs %s --previous", c.Namespace, c.Ref())}}
	default:
	}
	return a
}

// holds names the finalizers of a controller.
func (c *controller) holds() string {
	var out []string
	for _, h := range c.held {
		out = append(out, h.Finalizer+" on "+h.Kind.Many)
	}
	return few(out)
}

// waitsFor says what waits for a controller.
func (e *examination) waitsFor(c *controller) []string {
	waiting := e.waitingFor(func(o stuck.Object, finalizer string) bool {
		return slices.Contains(c.held, holding{cluster.KindOf(o.Type), finalizer})
	})
	if len(waiting) == 0 {
		return []string{"nothing waits for it yet; what is deleted with its finalizers will stay"}
	}
	return []string{fmt.Sprintf("it holds up %s being deleted: %s", counted(len(waiting), "object"), names(waiting))}
}

// lostLocks are the ConfigMaps that a Pod holds for life which is gone.
func (e *examination) lostLocks() []stuck.Ailment {
	var out []stuck.Ailment
	for _, lock := range e.world.locks {
		for _, by := range lock.Owners {
			if by.Kind != "Pod" {
				continue
			}
			if l := owner.ForLife(e.see, lock, by.Name); l.Lost {
				out = append(out, stuck.Ailment{
					State: stuck.Ill, Reason: "lock-of-a-pod-that-is-gone", Subject: l.Lock, Summary: fmt.Sprintf("configmap/%s in namespace %s is a lock for life of a pod that is gone", lock.Name, lock.Namespace),
					Evidence: []string{l.Says, "the garbage collector should have deleted it"},
					Hurts:    []string{"whoever waits for the lock waits for ever, and does not lead"},
					Fix:      []stuck.Step{{What: "delete the lock: the next pod takes it", Command: fmt.Sprintf("kubectl -n %s delete configmap %s", lock.Namespace, lock.Name)}},
				})
			}
		}
	}
	return out
}

package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkWatchers reads from the metrics of the API server which types are watched, and the
// state of its watch caches.
func checkWatchers(_ context.Context, c *checker, types *typeResults) stuck.Check {
	m, ok := c.view.Metrics()
	if !ok {
		return stuck.Check{Incomplete: true, Inconclusive: true, Summary: "the metrics of the API server could not be read"}
	}
	open, watched := 0, 0
	for _, t := range c.Types {
		n, _ := c.view.OpenWatches(t)
		types.record(t, func(h *stuck.TypeHealth) { h.Watchers = &n })
		if open += n; n > 0 {
			watched++
		}
	}
	out := stuck.Check{Details: []string{fmt.Sprintf("%s open on %d of %s", countWatches(open), watched, stuck.Count(len(c.Types), "type"))}}
	bound := c.typesWithFinalizers()
	unwatched, unknown := 0, 0
	for _, b := range bound {
		switch b.watched {
		case controller.WatchersNone:
			unwatched++
		case controller.WatchersUnknown:
			if !stuck.IsBuiltInGroup(b.Type.Group) {
				unknown++
			}
		}
	}
	out.Problems = c.unwatchedTypes(bound)
	out.Problems = append(out.Problems, c.watchCacheProblems(m)...)
	out.Problems = slices.Concat(out.Problems, c.flowControlProblems(m), c.slowCollectionDeletes(m))
	surveyed := !c.recordScanGaps()
	out.Incomplete = !surveyed || unknown > 0
	out.Summary = countSummary(unwatched, len(bound), "type", "with finalizers have no controller watching", surveyed)
	if unknown > 0 {
		out.Summary += fmt.Sprintf(", not known for %d", unknown)
	}
	if n := shardedWatches(m); n > 0 {
		out.Details = append(out.Details, fmt.Sprintf("%s sharded: one controller may have several on a type", countWatches(n)))
	}
	if m.FinalizedNamespaces > 0 {
		out.Details = append(out.Details, fmt.Sprintf("%s finalized through this API server since it started", stuck.Count(m.FinalizedNamespaces, "namespace")))
	}
	if cluster.HasSeveralAPIServers(c.view) {
		out.Inconclusive = true
		out.Details = append(out.Details, "one of several API servers answered, for itself only")
	}
	return out
}

// shardedWatches is how many of all open watches are sharded.
func shardedWatches(m cluster.Metrics) int {
	n := 0
	for _, cache := range m.WatchCaches {
		n += cache.ShardedWatches
	}
	return n
}

// finalizedType is a type whose objects have finalizers that a controller has to remove,
// for which it watches the type.
type finalizedType struct {
	Type       stuck.Type
	Finalizers []string
	watched    int
	evidence   []string
}

// typesWithFinalizers are the types with finalizers other than those that the garbage
// collector removes, and whether a controller watches them.
func (c *checker) typesWithFinalizers() []*finalizedType {
	byType := map[cluster.TypeName]*finalizedType{}
	for key, o := range c.snapshot.byFinalizer {
		if key.Finalizer == metav1.FinalizerDeleteDependents || key.Finalizer == metav1.FinalizerOrphanDependents {
			continue
		}
		if byType[key.Kind] == nil {
			byType[key.Kind] = &finalizedType{Type: o.Type}
		}
		byType[key.Kind].Finalizers = append(byType[key.Kind].Finalizers, key.Finalizer)
	}
	var all []*finalizedType
	var wait sync.WaitGroup
	for _, b := range byType {
		all = append(all, b)
		slices.Sort(b.Finalizers)
		wait.Go(func() { b.watched, b.evidence = controller.Watchers(c.view, b.Type) })
	}
	wait.Wait()
	slices.SortFunc(all, func(a, b *finalizedType) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	return all
}

// unwatchedTypes are the problems of types that no controller watches.
func (c *checker) unwatchedTypes(all []*finalizedType) []stuck.Problem {
	var out []stuck.Problem
	for _, b := range all {
		if b.watched != controller.WatchersNone {
			continue
		}
		problem := stuck.Problem{
			State: stuck.Warning, Reason: "unwatched-finalizers", Subject: typeSubject(b.Type.String()),
			Message:  fmt.Sprintf("no controller watches %s, whose objects have finalizers", b.Type),
			Evidence: append(b.evidence, fmt.Sprintf("finalizers on %s: %s", b.Type, joinFirst(b.Finalizers))),
			Impact:   []string{"a deleted object stays in Terminating"},
			Steps: []stuck.Step{{
				Action: stuck.ActionCheck, Description: "which controller should remove " + b.Finalizers[0] + "?",
				Command: stuck.Shellf("kubectl finalizers catalog %s", b.Finalizers[0]),
			}},
		}
		waiting := c.stuckWithFinalizer(func(o stuck.Object, finalizer string) bool {
			return o.Type.GVR() == b.Type.GVR() && slices.Contains(b.Finalizers, finalizer)
		})
		if len(waiting) > 0 {
			problem.State, problem.Reason = stuck.Unhealthy, "unwatched-deletions"
			problem.Message = fmt.Sprintf("no controller watches %s, whose deleted objects wait for finalizers", b.Type)
			problem.Blocks, problem.Impact = c.snapshot.withNamespaces(waiting), nil
			problem.Steps = []stuck.Step{explainStep(waiting[0])}
		}
		out = append(out, problem)
	}
	return out
}

// stuckObjects are the objects that are stuck in Terminating, of those that match. There may be
// hundreds of thousands, so none but these is copied.
func (c *checker) stuckObjects(matches func(stuck.Object) bool) []stuck.Object {
	now := c.view.Now()
	var out []stuck.Object
	for _, o := range c.snapshot.deleting {
		if o.IsStuck(now) && matches(o) {
			out = append(out, o)
		}
	}
	return out
}

// countStuck is how many objects are stuck in Terminating.
func (c *checker) countStuck() int {
	now, n := c.view.Now(), 0
	for _, o := range c.snapshot.deleting {
		if o.IsStuck(now) {
			n++
		}
	}
	return n
}

// stuckNamespaces are the namespaces that are stuck in Terminating.
func (c *checker) stuckNamespaces() []stuck.Object { return c.stuckObjects(stuck.Object.IsNamespace) }

// stuckWithFinalizer are the objects that are stuck in Terminating with such a finalizer.
func (c *checker) stuckWithFinalizer(matches func(o stuck.Object, finalizer string) bool) []stuck.Object {
	return c.stuckObjects(func(o stuck.Object) bool {
		return slices.ContainsFunc(o.Finalizers, func(f string) bool { return matches(o, f) })
	})
}

// explainStep is the step that shows which controller should remove the finalizers of an
// object.
func explainStep(o stuck.Object) stuck.Step {
	return stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("which controller should remove the finalizers of %s, and is it running?", o.Ref()), Command: o.Command("finalizers", "explain")}
}

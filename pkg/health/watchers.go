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

// checkWatchers asks the API server who watches, and how it does itself with
// what it serves watches from.
func checkWatchers(_ context.Context, c *checker, types *typeResults) stuck.Check {
	m, ok := c.view.Metrics()
	if !ok {
		return stuck.Check{Incomplete: true, Summary: "the API server's metrics could not be read, so nothing is known of who watches"}
	}
	open, watched := 0, 0
	for _, t := range c.Types {
		n, _ := c.view.OpenWatches(t)
		types.record(t, func(h *stuck.TypeHealth) { h.Watchers = &n })
		if open += n; n > 0 {
			watched++
		}
	}
	out := stuck.Check{Summary: fmt.Sprintf("%s open on %d of %s", countWatches(open), watched, stuck.Count(len(c.Types), "type"))}
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
	surveyed := !c.recordScanGaps()
	out.Incomplete = !surveyed || unknown > 0
	out.Summary += "; " + countSummary(unwatched, len(bound), "type", "with finalizers watched by nobody who could remove them", surveyed)
	if unknown > 0 {
		out.Summary += fmt.Sprintf(", and of %d that is not known", unknown)
	}
	if cluster.HasSeveralAPIServers(c.view) {
		out.Summary += "; one API server of several has answered, for itself alone"
	}
	return out
}

// finalizedType is a type whose objects carry finalizers that somebody has to hear of a
// deletion to remove.
type finalizedType struct {
	Type       stuck.Type
	Finalizers []string
	watched    int
	evidence   []string
}

// typesWithFinalizers are the types with finalizers, less those that the garbage
// collector removes, and what is known of who watches them.
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

// unwatchedTypes are the types that nobody watches.
func (c *checker) unwatchedTypes(all []*finalizedType) []stuck.Problem {
	var out []stuck.Problem
	for _, b := range all {
		if b.watched != controller.WatchersNone {
			continue
		}
		problem := stuck.Problem{
			State: stuck.Warning, Reason: "unwatched-finalizers", Subject: typeSubject(b.Type.String()),
			Summary:  fmt.Sprintf("nobody watches %s, though there are objects with finalizers", b.Type),
			Evidence: append(b.evidence, "its objects carry "+joinFirst(b.Finalizers)),
			Impact:   []string{"an object that is deleted will stay, as nobody hears of it"},
			Steps:    []stuck.Step{{Action: stuck.ActionCheck, Description: "see who should watch, by the finalizer", Command: stuck.Shellf("kubectl finalizers list %s -A --all", b.Type)}},
		}
		waiting := c.stuckObjects(func(o stuck.Object, finalizer string) bool {
			return o.Type.GVR() == b.Type.GVR() && slices.Contains(b.Finalizers, finalizer)
		})
		if len(waiting) > 0 {
			problem.State, problem.Reason = stuck.Unhealthy, "unwatched-deletions"
			problem.Summary = fmt.Sprintf("nobody watches %s, whose deleted objects wait for their finalizers to be removed", b.Type)
			problem.Impact = []string{fmt.Sprintf("nobody hears of %s being deleted: %s", stuck.Count(len(waiting), "object"), joinObjects(waiting))}
			problem.Steps = []stuck.Step{explainStep(waiting[0])}
		}
		out = append(out, problem)
	}
	return out
}

// stuckObjects are the objects past their deletion that hold such a finalizer.
func (c *checker) stuckObjects(matches func(o stuck.Object, finalizer string) bool) []stuck.Object {
	now := c.view.Now()
	var out []stuck.Object
	for _, o := range c.snapshot.deleting {
		if o.IsStuck(now) && slices.ContainsFunc(o.Finalizers, func(f string) bool { return matches(o, f) }) {
			out = append(out, o)
		}
	}
	return out
}

// joinObjects names the first of many objects.
func joinObjects(all []stuck.Object) string {
	var out []string
	for _, o := range all {
		out = append(out, o.RefInNamespace())
	}
	return stuck.JoinFirst(out, stuck.MaxUngrouped)
}

// explainStep is how to find out more about one object.
func explainStep(o stuck.Object) stuck.Step {
	return stuck.Step{Action: stuck.ActionCheck, Description: "see who should have removed the finalizers, and how that does", Command: o.Command("finalizers", "explain")}
}

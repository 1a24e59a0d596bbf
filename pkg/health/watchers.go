package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkWatchers asks the API server who watches, and how it does itself with
// what it serves watches from.
func checkWatchers(_ context.Context, e *examination, types *types) stuck.CheckUp {
	m, ok := e.see.Metrics()
	if !ok {
		return stuck.CheckUp{Incomplete: true, Summary: "the API server's metrics could not be read, so nothing is known of who watches"}
	}
	open, watched := 0, 0
	for _, t := range e.Types {
		n, _ := e.see.Watchers(t)
		types.note(t, func(h *stuck.TypeHealth) { h.Watchers = &n })
		if open += n; n > 0 {
			watched++
		}
	}
	out := stuck.CheckUp{Summary: fmt.Sprintf("%s open on %d of %s", watches(open), watched, counted(len(e.Types), "type"))}
	bound := e.boundTypes()
	unheard, unsure := 0, 0
	for _, b := range bound {
		switch b.watched {
		case owner.WatchedByNobody:
			unheard++
		case owner.WatchedUnknown:
			if !stuck.BuiltIn(b.Type.Group) {
				unsure++
			}
		}
	}
	out.Ailments = e.unheardOf(bound)
	out.Ailments = append(out.Ailments, e.cacheAilments(m)...)
	surveyed := !e.unsurveyed()
	out.Incomplete = !surveyed || unsure > 0
	out.Summary += "; " + share(unheard, len(bound), "type", "with finalizers watched by nobody who could remove them", surveyed)
	if unsure > 0 {
		out.Summary += fmt.Sprintf(", and of %d that is not known", unsure)
	}
	if owner.SeveralServers(e.see) {
		out.Summary += "; one API server of several has answered, for itself alone"
	}
	return out
}

// bound is a type whose objects carry finalizers that somebody has to hear of a
// deletion to remove.
type bound struct {
	Type       stuck.Type
	Finalizers []string
	watched    int
	says       []string
}

// boundTypes are the types with finalizers, less those that the garbage
// collector removes, and what is known of who watches them.
func (e *examination) boundTypes() []*bound {
	byType := map[cluster.Kind]*bound{}
	for key, o := range e.world.held {
		if key.Finalizer == metav1.FinalizerDeleteDependents || key.Finalizer == metav1.FinalizerOrphanDependents {
			continue
		}
		if byType[key.Kind] == nil {
			byType[key.Kind] = &bound{Type: o.Type}
		}
		byType[key.Kind].Finalizers = append(byType[key.Kind].Finalizers, key.Finalizer)
	}
	var all []*bound
	var wait sync.WaitGroup
	for _, b := range byType {
		all = append(all, b)
		slices.Sort(b.Finalizers)
		wait.Go(func() { b.watched, b.says = owner.WatchedBy(e.see, b.Type) })
	}
	wait.Wait()
	slices.SortFunc(all, func(a, b *bound) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	return all
}

// unheardOf are the types that nobody watches.
func (e *examination) unheardOf(all []*bound) []stuck.Ailment {
	var out []stuck.Ailment
	for _, b := range all {
		if b.watched != owner.WatchedByNobody {
			continue
		}
		a := stuck.Ailment{
			State: stuck.Doubtful, Reason: "unwatched-finalizers", Subject: typeSubject(b.Type.String()),
			Summary:  fmt.Sprintf("nobody watches %s, though there are objects with finalizers", b.Type),
			Evidence: append(b.says, "its objects carry "+few(b.Finalizers)),
			Hurts:    []string{"an object that is deleted will stay, as nobody hears of it"},
			Fix:      []stuck.Step{{What: "see who should watch, by the finalizer", Command: "kubectl finalizers list " + b.Type.String() + " -A --all"}},
		}
		waiting := e.waitingFor(func(o stuck.Object, finalizer string) bool {
			return o.Type.GVR() == b.Type.GVR() && slices.Contains(b.Finalizers, finalizer)
		})
		if len(waiting) > 0 {
			a.State, a.Reason = stuck.Ill, "unwatched-deletions"
			a.Summary = fmt.Sprintf("nobody watches %s, whose deleted objects wait for their finalizers to be removed", b.Type)
			a.Hurts = []string{fmt.Sprintf("nobody hears of %s being deleted: %s", counted(len(waiting), "object"), names(waiting))}
			a.Fix = []stuck.Step{explain(waiting[0])}
		}
		out = append(out, a)
	}
	return out
}

// waitingFor are the objects past their deletion that hold such a finalizer.
func (e *examination) waitingFor(such func(o stuck.Object, finalizer string) bool) []stuck.Object {
	now := e.see.Now()
	var out []stuck.Object
	for _, o := range e.world.deleting {
		if o.Stuck(now) && slices.ContainsFunc(o.Finalizers, func(f string) bool { return such(o, f) }) {
			out = append(out, o)
		}
	}
	return out
}

// names names the first of many objects.
func names(all []stuck.Object) string {
	var out []string
	for _, o := range all {
		name := o.Ref()
		if o.Namespace != "" {
			name += " in namespace " + o.Namespace
		}
		out = append(out, name)
	}
	if len(out) > stuck.Handful {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:stuck.Handful], ", "), len(out)-stuck.Handful)
	}
	return strings.Join(out, ", ")
}

// explain is how to find out more about one object.
func explain(o stuck.Object) stuck.Step {
	command := "kubectl finalizers explain " + o.Ref()
	if o.Namespace != "" {
		command += " -n " + o.Namespace
	}
	return stuck.Step{What: "see who should have removed the finalizers, and how that does", Command: command}
}

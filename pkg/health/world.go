package health

import (
	"context"
	"slices"
	"sync"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// world is what a pass over the cluster has seen that tells who suffers.
type world struct {
	// deleting are the objects that are being deleted.
	deleting []stuck.Object
	// held is one object for each finalizer of each type that has any.
	held map[holding]stuck.Object
	// locks are the first ConfigMaps that a Pod may hold as a lock for life, and
	// moreLocks says that there are others.
	locks     []stuck.Object
	moreLocks bool
	// failed are the types that could not be read to their end.
	failed []cluster.Failure
}

// holding is a finalizer on a type.
type holding struct {
	Kind      cluster.Kind
	Finalizer string
}

// survey looks at everything once.
func (e *examination) survey(ctx context.Context) (world, error) {
	w := world{held: map[holding]stuck.Object{}}
	var mu sync.Mutex
	survey, err := cluster.Pass{
		Types:     e.listable(),
		Selection: cluster.Selection{Namespace: e.Namespace},
		Keep: func(o stuck.Object) bool {
			if len(o.Finalizers) > 0 || isLock(o) {
				mu.Lock()
				defer mu.Unlock()
				w.hold(o)
				w.lock(o)
			}
			return o.Deleting()
		},
		Progress: e.Progress,
	}.Run(ctx, e.server)
	if err != nil {
		return world{}, err
	}
	w.deleting, w.failed = survey.Kept, survey.Failed
	return w, nil
}

// listable are the types whose first object could be read.
func (e *examination) listable() []stuck.Type {
	var out []stuck.Type
	for _, l := range e.listed {
		if l.First != nil {
			out = append(out, l.Type)
		}
	}
	return out
}

// hold remembers an object for its finalizers. One that is being deleted tells
// more than one that is not; of equals the first in order stands for all.
func (w world) hold(o stuck.Object) {
	for _, f := range o.Finalizers {
		key := holding{cluster.KindOf(o.Type), f}
		other, ok := w.held[key]
		if !ok || o.Deleting() && !other.Deleting() || o.Deleting() == other.Deleting() && stuck.Compare(o, other) < 0 {
			w.held[key] = o
		}
	}
}

// mostLocks is how many ConfigMaps are looked at that a Pod may hold as a lock.
// Whoever makes more of them means something else by it.
const mostLocks = 50

// lock remembers a ConfigMap that a Pod may hold for life.
func (w *world) lock(o stuck.Object) {
	switch {
	case !isLock(o):
	case len(w.locks) < mostLocks:
		w.locks = append(w.locks, o)
	default:
		w.moreLocks = true
	}
}

// isLock says whether an object looks like a lock of
// operator-framework/operator-lib/leader: a ConfigMap owned by a Pod, which does
// not manage it.
func isLock(o stuck.Object) bool {
	return o.Is("", "ConfigMap") && slices.ContainsFunc(o.Owners, func(by stuck.Reference) bool { return by.Kind == "Pod" && !by.Controller })
}

// waiting are the namespaces that are being deleted.
func (w world) waiting() []string {
	var names []string
	for _, o := range w.deleting {
		if o.IsNamespace() {
			names = append(names, o.Name)
		}
	}
	return names
}

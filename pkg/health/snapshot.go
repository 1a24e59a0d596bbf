package health

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// snapshot is what one pass over the cluster found: it says what a problem affects.
type snapshot struct {
	// deleting are the objects that are being deleted.
	deleting []stuck.Object
	// byFinalizer is one object for each finalizer of each type that has any.
	byFinalizer map[typeFinalizer]stuck.Object
	// locks are the first ConfigMaps that a Pod may hold as its leader-for-life lock,
	// and moreLocks says that there are others.
	locks     []stuck.Object
	moreLocks bool
	// failed are the types that could not be read to their end, read those that were.
	failed []cluster.ListFailure
	read   map[schema.GroupResource]bool
}

// typeFinalizer is a finalizer on a type.
type typeFinalizer struct {
	Kind      cluster.TypeName
	Finalizer string
}

// takeSnapshot reads the metadata of every object once.
func (c *checker) takeSnapshot(ctx context.Context, source cluster.Source) (snapshot, error) {
	w := snapshot{byFinalizer: map[typeFinalizer]stuck.Object{}, read: map[schema.GroupResource]bool{}}
	var mu sync.Mutex
	survey, err := cluster.SurveyRequest{
		Types:     c.listableTypes(),
		Selection: cluster.Selection{Namespace: c.Namespace},
		Keep: func(o stuck.Object) bool {
			if len(o.Finalizers) > 0 || isLockConfigMap(o) {
				mu.Lock()
				defer mu.Unlock()
				w.addFinalizers(o)
				w.addLock(o)
			}
			return o.Deleting()
		},
		Progress: c.Progress,
	}.Run(ctx, source)
	if err != nil {
		return snapshot{}, err
	}
	w.deleting, w.failed = survey.Objects, survey.Failed
	for _, t := range c.listableTypes() {
		w.read[t.GVR().GroupResource()] = true
	}
	for _, f := range w.failed {
		delete(w.read, f.Type.GVR().GroupResource())
	}
	return w, nil
}

// listableTypes are the types whose first object could be read.
func (c *checker) listableTypes() []stuck.Type {
	var out []stuck.Type
	for _, l := range c.lists {
		if l.First != nil {
			out = append(out, l.Type)
		}
	}
	return out
}

// addFinalizers keeps an object for each of its finalizers: one that is being deleted
// rather than one that is not, and of several the first in order.
func (w snapshot) addFinalizers(o stuck.Object) {
	for _, f := range o.Finalizers {
		key := typeFinalizer{cluster.TypeNameOf(o.Type), f}
		other, ok := w.byFinalizer[key]
		if !ok || o.Deleting() && !other.Deleting() || o.Deleting() == other.Deleting() && stuck.Compare(o, other) < 0 {
			w.byFinalizer[key] = o
		}
	}
}

// maxLocks is how many ConfigMaps are read that a Pod may hold as a lock. Software that
// creates more of them uses them for something else.
const maxLocks = 50

// addLock keeps a ConfigMap that a Pod may hold as its leader-for-life lock.
func (w *snapshot) addLock(o stuck.Object) {
	switch {
	case !isLockConfigMap(o):
	case len(w.locks) < maxLocks:
		w.locks = append(w.locks, o)
	default:
		w.moreLocks = true
	}
}

// isLockConfigMap reports whether an object looks like a lock of
// operator-framework/operator-lib/leader: a ConfigMap owned by a Pod, which does
// not manage it.
func isLockConfigMap(o stuck.Object) bool {
	return o.Is("", "ConfigMap") && slices.ContainsFunc(o.Owners, func(by stuck.OwnerReference) bool { return by.Kind == "Pod" && !by.Controller })
}

// hasRead reports whether all objects of a type were read.
func (w snapshot) hasRead(t stuck.Type) bool { return w.read[t.GVR().GroupResource()] }

// deletingNamespaces are the namespaces that are being deleted.
func (w snapshot) deletingNamespaces() []stuck.Object {
	var out []stuck.Object
	for _, o := range w.deleting {
		if o.IsNamespace() {
			out = append(out, o)
		}
	}
	return out
}

// withNamespaces are objects, and the namespaces that cannot be deleted before them.
func (w snapshot) withNamespaces(objects []stuck.Object) []stuck.Object {
	names := map[string]bool{}
	for _, o := range objects {
		names[o.Namespace] = true
	}
	return slices.Concat(objects, slices.DeleteFunc(w.deletingNamespaces(), func(o stuck.Object) bool { return !names[o.Name] }))
}

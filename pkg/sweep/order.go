package sweep

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Order is the order in which objects are deleted, and what of it is done.
type Order struct {
	stages []preflight.Stage
	// gone are the objects that no longer exist, and begun those whose deletion was requested.
	gone, begun map[stuck.ObjectKey]bool
	// controllers are the namespaces of the controllers of an object.
	controllers map[stuck.ObjectKey][]string
}

// NewOrder is the order of some objects and of what they hold. What is in the namespace of the controllers of an object, and the
// namespace itself, is deleted after the object.
func NewOrder(selected, content []stuck.Object, controllers map[stuck.ObjectKey][]string) *Order {
	return &Order{
		stages: preflight.Order(preflight.Deletion{Selected: selected, Content: content}),
		gone:   map[stuck.ObjectKey]bool{}, begun: map[stuck.ObjectKey]bool{}, controllers: controllers,
	}
}

// Content reads the objects with finalizers in the namespaces among some objects. Those of a type that could not be
// read are a gap.
func Content(ctx context.Context, source cluster.Source, types []stuck.Type, selected []stuck.Object) (cluster.Survey, error) {
	namespaces := map[string]bool{}
	for _, o := range selected {
		if o.IsNamespace() {
			namespaces[o.Name] = true
		}
	}
	if len(namespaces) == 0 {
		return cluster.Survey{}, nil
	}
	return cluster.SurveyRequest{
		Types: slices.DeleteFunc(cluster.SurveyedTypes(types, ""), func(t stuck.Type) bool { return !t.Namespaced || t.IsEvent() }),
		Keep:  func(o stuck.Object) bool { return namespaces[o.Namespace] && len(o.Finalizers) > 0 },
	}.Run(ctx, source)
}

// All are the objects to delete, in their order.
func (r *Order) All() (objects []stuck.Object) {
	for _, stage := range r.stages {
		objects = append(objects, stage.Delete...)
	}
	return objects
}

// Ready are the objects that can be deleted now: nothing of an earlier stage that belongs to them exists. The caller
// requests their deletion.
func (r *Order) Ready() (objects []stuck.Object) {
	for i, stage := range r.stages {
		for _, o := range stage.Delete {
			if !r.begun[o.Key()] && r.waitsFor(i, o) == nil {
				r.begun[o.Key()] = true
				objects = append(objects, o)
			}
		}
	}
	return objects
}

// Pending are the objects to wait for: those whose deletion was requested, and what is deleted with them and has to
// be finished before others begin.
func (r *Order) Pending() (objects []stuck.Object) {
	held := map[stuck.ObjectKey]bool{}
	for _, stage := range r.stages {
		for _, o := range stage.Delete {
			held[o.Key()] = !r.begun[o.Key()]
		}
		for _, o := range stage.WaitFor {
			if !held[o.Key()] && !r.gone[o.Key()] {
				objects = append(objects, o)
			}
		}
	}
	return objects
}

// Gone records that an object no longer exists.
func (r *Order) Gone(o stuck.Object) { r.gone[o.Key()] = true }

// Waiting are the objects that were not deleted because of others, each with the one that it waits for.
func (r *Order) Waiting() (waiting []Waiting) {
	for i, stage := range r.stages {
		for _, o := range stage.Delete {
			if other := r.waitsFor(i, o); other != nil && !r.begun[o.Key()] {
				waiting = append(waiting, Waiting{Object: o, WaitsFor: *other})
			}
		}
	}
	return waiting
}

// Waiting is an object that was not deleted because another one, which has to be deleted first, still exists.
type Waiting struct{ Object, WaitsFor stuck.Object }

// waitsFor is an object of the stages before the given one that has to be deleted before the object.
func (r *Order) waitsFor(stage int, o stuck.Object) *stuck.Object {
	for _, before := range r.stages[:stage] {
		for i, other := range before.WaitFor {
			if !r.gone[other.Key()] && (belongs(other, o) || r.isControlledFrom(other, o)) {
				return &before.WaitFor[i]
			}
		}
	}
	return nil
}

// isControlledFrom reports whether a controller of an object is, or may be, deleted with another one.
func (r *Order) isControlledFrom(o, with stuck.Object) bool {
	namespace := with.Namespace
	if with.IsNamespace() {
		namespace = with.Name
	}
	return namespace != "" && slices.Contains(r.controllers[o.Key()], namespace)
}

// belongs reports whether an object has to be deleted before another one of a later stage: it is in that
// namespace, or is in the same namespace. What is in no namespace may serve all.
func belongs(earlier, later stuck.Object) bool {
	switch {
	case later.IsNamespace():
		return earlier.Namespace == later.Name
	case later.Type.Namespaced:
		return earlier.Namespace == later.Namespace
	}
	return true
}

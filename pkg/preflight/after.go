package preflight

import (
	"context"
	"maps"
	"slices"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// after is a cluster as it is after a deletion that has gone as far as nothing holds it: what
// has no finalizers does not exist, and the rest has a deletionTimestamp.
type after struct {
	cluster.Source

	// gone are the objects that do not exist, and deleting those that are held.
	gone, deleting map[types.UID]bool
	// stopping are those of deleting whose Pods are deleted before their finalizers are removed.
	stopping map[types.UID]bool
	// endedPods are the Pods that have ended, and that no controller replaces.
	endedPods map[types.UID]bool
	// deletedAt is the deletionTimestamp of those that are held.
	deletedAt time.Time
}

// newAfter divides what is deleted. Of Pods those are held that only a kubelet can end which
// does not respond.
func newAfter(source cluster.Source, d *deleted, heldPods map[types.UID]bool, rejected map[types.UID]bool) *after {
	a := &after{
		Source: source, gone: map[types.UID]bool{}, deleting: map[types.UID]bool{}, stopping: map[types.UID]bool{}, endedPods: map[types.UID]bool{},
		deletedAt: source.Now().Truncate(time.Second),
	}
	for _, o := range d.all {
		switch {
		case rejected[o.UID]:
			continue
		case o.IsNamespace(), len(o.Finalizers) > 0, heldPods[o.UID], o.IsOutOfScope():
			a.deleting[o.UID] = true
			a.stopping[o.UID] = d.namespaces[o.Namespace] || slices.Contains(o.Finalizers, metav1.FinalizerDeleteDependents)
		default:
			a.gone[o.UID] = true
		}
		a.endedPods[o.UID] = o.Is("", "Pod") && (len(o.Owners) == 0 || d.ownersDeleted(o))
	}
	return a
}

// emptied is the cluster when what is held has been deleted too.
func (a *after) emptied() *after {
	gone := maps.Clone(a.gone)
	maps.Copy(gone, a.deleting)
	return &after{Source: a.Source, gone: gone, endedPods: a.endedPods, deletedAt: a.deletedAt}
}

// stops reports whether a workload no longer runs.
func (a *after) stops(uid types.UID) bool { return a.gone[uid] || a.stopping[uid] }

// object is an object as it is after the deletion.
func (a *after) object(o stuck.Object) stuck.Object {
	if a.deleting[o.UID] && !o.Deleting() {
		o.DeletionTime = a.deletedAt
	}
	return o
}

// survey is what a survey would have found after the deletion.
func (a *after) survey(s cluster.Survey) *cluster.Survey {
	objects := s.Objects
	s.Objects, s.NotDeleted = nil, map[cluster.NamespacedType]int{}
	for _, o := range objects {
		if o = a.object(o); o.Deleting() && !a.gone[o.UID] {
			s.Objects = append(s.Objects, o)
		}
	}
	return &s
}

func notFoundError(t stuck.Type, name string) error {
	return apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

// Scan visits what is left.
func (a *after) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	return a.Source.Scan(ctx, t, sel, func(o stuck.Object) {
		if !a.gone[o.UID] {
			visit(a.object(o))
		}
	})
}

// Metadata reads what is left of an object.
func (a *after) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	m, err := a.Source.Metadata(ctx, t, namespace, name)
	switch {
	case err != nil:
		return nil, err
	case a.gone[m.UID]:
		return nil, notFoundError(t, name)
	case a.deleting[m.UID] && m.DeletionTimestamp == nil:
		m = m.DeepCopy()
		m.DeletionTimestamp = &metav1.Time{Time: a.deletedAt}
	}
	return m, nil
}

// Get reads what is left of an object.
func (a *after) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	u, err := a.Source.Get(ctx, t, namespace, name)
	switch {
	case err != nil:
		return nil, err
	case a.gone[u.GetUID()]:
		return nil, notFoundError(t, name)
	}
	return a.content(u), nil
}

// List visits what is left.
func (a *after) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	return a.Source.List(ctx, t, sel, func(u unstructured.Unstructured) {
		if !a.gone[u.GetUID()] {
			visit(*a.content(&u))
		}
	})
}

// content is a whole object as it is after the deletion.
func (a *after) content(u *unstructured.Unstructured) *unstructured.Unstructured {
	if u.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}) {
		u = a.withoutEndedPods(u)
	}
	if !a.deleting[u.GetUID()] || u.GetDeletionTimestamp() != nil {
		return u
	}
	u = u.DeepCopy()
	u.SetDeletionTimestamp(&metav1.Time{Time: a.deletedAt})
	return u
}

// withoutEndedPods is an EndpointSlice without the Pods that are deleted.
func (a *after) withoutEndedPods(slice *unstructured.Unstructured) *unstructured.Unstructured {
	endpoints, _, err := unstructured.NestedSlice(slice.Object, "endpoints")
	if err != nil {
		return slice
	}
	left := slices.DeleteFunc(endpoints, func(endpoint any) bool {
		fields, _ := endpoint.(map[string]any)
		uid, _, _ := unstructured.NestedString(fields, "targetRef", "uid")
		return a.endedPods[types.UID(uid)]
	})
	slice = slice.DeepCopy()
	slice.Object["endpoints"] = left
	return slice
}

// ClockSpread is that of the cluster.
func (a *after) ClockSpread() time.Duration { return cluster.ClockSpread(a.Source) }

// ClockSkew is that of the cluster.
func (a *after) ClockSkew() time.Duration { return cluster.ClockSkew(a.Source) }

// LeaseAgesError is that of the cluster.
func (a *after) LeaseAgesError() error { return cluster.LeaseAgesError(a.Source) }

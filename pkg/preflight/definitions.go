package preflight

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// inseparableTypes are the types whose objects are to be deleted with their
// CustomResourceDefinition and not before it: the API server does not accept the deletion of
// each of them, or that is not known. A webhook is not asked about what goes with its definition.
func inseparableTypes(ctx context.Context, source cluster.Source, view *cluster.View, d *deleted) (map[string]bool, error) {
	prober, ok := source.(deleteProber)
	if !ok {
		return nil, nil
	}
	tried, left := representatives(slices.DeleteFunc(slices.Clone(d.all), func(o stuck.Object) bool {
		return !d.isDeletedByDefinition(o) || !hasForeignFinalizer(o) || o.IsOutOfScope()
	}))
	types := map[string]bool{}
	for _, group := range stuck.GroupBy(left, func(o stuck.Object) string { return o.Type.String() }) {
		if mayBeRejected(view, group[0].Type) {
			types[group[0].Type.String()] = true
		}
	}
	var mu sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for _, o := range tried {
		group.Go(func() error {
			if !isDeletable(groupCtx, prober, view, o) {
				mu.Lock()
				types[o.Type.String()] = true
				mu.Unlock()
			}
			return groupCtx.Err()
		})
	}
	return types, group.Wait()
}

// representatives are the objects whose deletion is tried, one of each type in a namespace
// first, and those for which there are too many.
func representatives(objects []stuck.Object) (tried, left []stuck.Object) {
	var first, others []stuck.Object
	for _, group := range stuck.GroupBy(objects, stuck.Object.TypeInNamespace) {
		first, others = append(first, group[0]), append(others, group[1:]...)
	}
	all := slices.Concat(first, others)
	n := min(len(all), maxDeleteProbes)
	return all[:n], all[n:]
}

// isDeletable reports whether the API server accepts the deletion of an object, as far as it
// can be asked: what it says is no gap, since nothing else depends on it.
func isDeletable(ctx context.Context, prober deleteProber, view *cluster.View, o stuck.Object) bool {
	if !view.ServesDryRun(o.Type) {
		return true
	}
	if allowed, err := prober.MayDelete(ctx, o); err != nil || !allowed {
		return false
	}
	err := prober.ProbeDelete(ctx, o)
	return err == nil || cluster.IsObjectNotFound(err)
}

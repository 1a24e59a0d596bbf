package preflight

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerNamespacesOf are the namespaces of the workloads that may be the controllers of the finalizers of objects, as far as
// Order puts these first. What could not be read is a gap of the view. The error is that of a canceled context.
func ControllerNamespacesOf(ctx context.Context, view *cluster.View, known *catalog.Catalog, objects []stuck.Object) (map[stuck.ObjectKey][]string, error) {
	groups := controllerGroups(objects)
	if more := len(groups) - maxFinalizerGroups; more > 0 {
		view.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("which controllers remove %s of %s, and %s", groups[maxFinalizerGroups].finalizer, subject(groups[maxFinalizerGroups].objects), stuck.Count(more-1, "other finalizer")),
			Error:  fmt.Sprintf("not looked for: the objects have more than %d finalizers, by type and namespace", maxFinalizerGroups),
		})
		groups = groups[:maxFinalizerGroups]
	}
	found := make([][]string, len(groups))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, g := range groups {
		group.Go(func() error {
			for _, c := range controller.Find(view.Scoped(), known, g.objects[0], g.finalizer).Candidates {
				found[i] = append(found[i], c.Namespace)
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	out := map[stuck.ObjectKey][]string{}
	for i, g := range groups {
		for _, o := range g.objects {
			for _, namespace := range found[i] {
				if !slices.Contains(out[o.Key()], namespace) {
					out[o.Key()] = append(out[o.Key()], namespace)
				}
			}
		}
	}
	return out, err
}

// controllerGroups groups objects by type, namespace and finalizer, one of each type and finalizer first.
func controllerGroups(objects []stuck.Object) []finalizerGroup {
	type key struct {
		typ, namespace, finalizer string
	}
	index := map[key]int{}
	var groups []finalizerGroup
	for _, o := range objects {
		if !isFinishedByController(o) || !hasForeignFinalizer(o) {
			continue
		}
		for _, finalizer := range o.Finalizers {
			k := key{o.Type.String(), o.Namespace, finalizer}
			i, ok := index[k]
			if !ok {
				i, groups = len(groups), append(groups, finalizerGroup{finalizer: finalizer})
				index[k] = i
			}
			groups[i].objects = append(groups[i].objects, o)
		}
	}
	return eachTypeFirst(groups)
}

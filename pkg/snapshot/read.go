package snapshot

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// isReadWhole reports whether causes read objects of a type whole: those of Kubernetes itself,
// except Secrets. Of Events and ConfigMaps there are many, and causes read few.
func isReadWhole(t stuck.Type) bool {
	if !t.Listable || t.IsSecret() || !stuck.IsBuiltInGroup(t.Group) {
		return false
	}
	switch t.Resource {
	case "events", "configmaps", "componentstatuses", "controllerrevisions":
		return false
	}
	return true
}

// ReadWhole reads the types whose objects causes read whole, in a namespace, or all where that is
// empty, so that more can be asked of the snapshot than was asked of the cluster. What cannot be
// read is kept as an error.
func (r *Recorder) ReadWhole(ctx context.Context, namespace string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for _, t := range slices.DeleteFunc(slices.Clone(r.types), func(t stuck.Type) bool { return !isReadWhole(t) || r.wasListed(t, namespace) }) {
		sel := cluster.Selection{Namespace: namespace}
		if !t.Namespaced {
			sel.Namespace = ""
		}
		group.Go(func() error {
			_ = r.List(ctx, t, sel, func(unstructured.Unstructured) {}) // the error is kept
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("reading the objects of the snapshot: %w", err)
	}
	return nil
}

// wasListed reports whether the objects of a type were read whole before.
func (r *Recorder) wasListed(t stuck.Type, namespace string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, asked := r.answers[dump.SelectionQuestion(dump.KindList, t, cluster.Selection{Namespace: namespace})]
	return asked
}

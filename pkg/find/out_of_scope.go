package find

import (
	"context"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OutOfScope finds the custom resource of a name that was stored when its type had another scope,
// and that only a list shows: without a namespace, or in one although its type has none. A list
// that fails has none.
func OutOfScope(ctx context.Context, source cluster.Source, t stuck.Type, namespace, name string) (found stuck.Object, ok bool) {
	if stuck.IsBuiltInGroup(t.Group) || !t.Listable {
		return stuck.Object{}, false
	}
	key := name
	if !t.Namespaced {
		key = namespace + "/" + name
	}
	// The first object from its key on is enough: a selection by name looks at the key of the scope that the type has.
	err := source.Scan(ctx, t, cluster.Selection{Window: cluster.Window{Start: key, Limit: 1}}, func(o stuck.Object) {
		if o.Name == name && o.IsOutOfScope() {
			found, ok = o, true
		}
	})
	return found, ok && err == nil
}

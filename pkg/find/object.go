package find

import (
	"context"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Object reads one object of a type.
func Object(ctx context.Context, source cluster.Source, view *cluster.View, t stuck.Type, namespace, name string) (stuck.Object, error) {
	if !t.Namespaced {
		namespace = ""
	}
	m, err := source.Metadata(ctx, t, namespace, name)
	if err != nil {
		return stuck.Object{}, err
	}
	object := stuck.ObjectOf(t, m.ObjectMeta)
	object.NamespaceMissing = namespace != "" && view.Namespace(namespace).Absent()
	return object, nil
}

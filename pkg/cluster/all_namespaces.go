package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxBulkObjects is how many objects are read in one go for the sake of many
// namespaces. Where there are more, each namespace is asked for its own: what
// is held in memory must not grow with the cluster.
const maxBulkObjects = 1000

// readAllNamespaces reads all objects of a type, by their namespaces, or if they are in
// none by their names. It does so where many namespaces are asked about, and is
// not ok where they are few, or the objects too many, or out of sight: then
// they are to be asked for one by one.
func readAllNamespaces[T any](v *View, t stuck.Type) (all map[string][]T, ok bool) {
	if !v.coversManyNamespaces() {
		return nil, false
	}
	all = memoize(v, fmt.Sprintf("everywhere %s as %T", t, *new(T)), func() map[string][]T {
		all := map[string][]T{}
		err := readEach(v, t, Selection{MaxObjects: maxBulkObjects}, func(u unstructured.Unstructured, value *T) {
			key := u.GetName()
			if t.Namespaced {
				key = u.GetNamespace()
			}
			all[key] = append(all[key], *value)
		})
		if err != nil {
			return nil
		}
		return all
	})
	return all, all != nil
}

// readNamespaceList reads the objects of a namespace.
func readNamespaceList[T any](v *View, t stuck.Type, namespace string) List[T] {
	if all, ok := readAllNamespaces[T](v, t); ok {
		return List[T]{Items: all[namespace], Complete: true}
	}
	return ReadList[T](v, t, Selection{Namespace: namespace})
}

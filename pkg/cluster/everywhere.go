package cluster

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mostEverywhere is how many objects are read in one go for the sake of many
// namespaces. Where there are more, each namespace is asked for its own: what
// is held in memory must not grow with the cluster.
const mostEverywhere = 2 * pageSize

// everywhere reads all objects of a type, by their namespaces, or if they are in
// none by their names. It does so where many namespaces are asked about, and is
// not ok where they are few, or the objects too many, or out of sight: then
// they are to be asked for one by one.
func everywhere[T any](v *View, t stuck.Type) (all map[string][]T, ok bool) {
	if !v.wide() {
		return nil, false
	}
	all = once(v, "everywhere "+t.String(), func() map[string][]T {
		found, err := v.shared.source.List(v.ctx, t, Selection{Most: mostEverywhere})
		if err != nil {
			return nil
		}
		all := map[string][]T{}
		for i := range found {
			var value T
			if runtime.DefaultUnstructuredConverter.FromUnstructured(found[i].Object, &value) != nil {
				return nil
			}
			key := found[i].GetName()
			if t.Namespaced {
				key = found[i].GetNamespace()
			}
			all[key] = append(all[key], value)
			found[i].Object = nil // the whole of it is not needed while the rest is read
		}
		return all
	})
	return all, all != nil
}

// within reads the objects of a namespace.
func within[T any](v *View, t stuck.Type, namespace string) Many[T] {
	if all, ok := everywhere[T](v, t); ok {
		return Many[T]{Items: all[namespace], Complete: true}
	}
	return list[T](v, t, Selection{Namespace: namespace})
}

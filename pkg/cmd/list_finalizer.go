package cmd

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mayMatchFinalizer reports whether an object may hold a finalizer that --finalizer selects.
// What the spec of a namespace that is being deleted holds, a scan does not
// tell: see selected.
func (o *listOptions) mayMatchFinalizer(object stuck.Object) bool {
	switch {
	case o.finalizer == "" || object.IsNamespace() && object.Deleting():
		return true
	case object.IsNamespace():
		return o.matchesAny(append([]string{string(corev1.FinalizerKubernetes)}, object.Finalizers...))
	}
	return o.matchesAny(object.Finalizers)
}

// filterNamespaces leaves out the namespaces that hold no finalizer which --finalizer
// selects, in their spec or elsewhere. One that cannot be read stays.
func (o *listOptions) filterNamespaces(view *cluster.View, objects []stuck.Object) []stuck.Object {
	if o.finalizer == "" {
		return objects
	}
	return slices.DeleteFunc(slices.Clone(objects), func(object stuck.Object) bool {
		if !object.IsNamespace() || !object.Deleting() {
			return false
		}
		ns, names := view.Namespace(object.Name), slices.Clone(object.Finalizers)
		if !ns.Found() {
			return false
		}
		for _, f := range ns.Value.Spec.Finalizers {
			names = append(names, string(f), "spec:"+string(f)) // as the table shows it
		}
		return !o.matchesAny(names)
	})
}

func (o *listOptions) matchesAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		ok, _ := glob(o.finalizer, name)
		return ok
	})
}

// glob matches a whole name. A star crosses the slash that most finalizers
// have.
func glob(pattern, name string) (bool, error) {
	return path.Match(strings.ReplaceAll(pattern, "/", "\n"), strings.ReplaceAll(name, "/", "\n"))
}

package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// readTarget reads one object that was named. Where several API groups serve a type
// of the name that was given, all of them are asked, and exactly one has to have
// the object. A type of Kubernetes itself that has it needs no others.
func readTarget(ctx context.Context, source cluster.Source, view *cluster.View, t target, namespace string) (stuck.Object, error) {
	var found []stuck.Object
	var unread stuck.Type
	var failure error
	for i, candidate := range t.types() {
		object, err := find.Object(ctx, source, view, candidate, namespace, t.Name)
		switch {
		case cluster.IsObjectNotFound(err):
		case err != nil && failure == nil:
			unread, failure = candidate, err
		case err != nil:
		case i == 0 && t.builtIn:
			return object, nil
		default:
			found = append(found, object)
		}
	}
	if len(found) == 0 && failure == nil {
		for _, candidate := range t.types() {
			if object, ok := find.OutOfScope(ctx, source, candidate, namespace, t.Name); ok {
				found = append(found, object)
			}
		}
	}
	switch found = deduplicate(found); {
	case len(found) == 0 && failure != nil:
		return stuck.Object{}, fmt.Errorf("reading %s/%s: %w", unread.Singular(), t.Name, failure)
	case len(found) == 0:
		return stuck.Object{}, notFound(view, t, namespace)
	case len(found) > 1:
		return stuck.Object{}, fmt.Errorf("%d types of that name have an object %q; write which one is meant: %s", len(found), t.Name, joinRefs(found))
	case failure != nil:
		return stuck.Object{}, fmt.Errorf("%s exists, but whether %s/%s does too could not be read (%s); write the full name: %s",
			found[0].Ref(), unread.Singular(), t.Name, apitext.ErrorMessage(failure), fullRef(found[0]))
	}
	return found[0], nil
}

// fullRef is an object by the name of its type that no other type has.
func fullRef(o stuck.Object) string {
	if o.Type.Group == "" {
		return o.Type.Resource + "." + o.Type.Version + "./" + o.Name
	}
	return o.Type.String() + "/" + o.Name
}

func joinRefs(objects []stuck.Object) string {
	var refs []string
	for _, o := range objects {
		refs = append(refs, fullRef(o))
	}
	return strings.Join(refs, ", ")
}

// notFound is the error of an object that no type of the name has.
func notFound(view *cluster.View, t target, namespace string) error {
	var types []string
	namespaced := false
	for _, candidate := range t.types() {
		types = append(types, candidate.String())
		namespaced = namespaced || candidate.Namespaced
	}
	what := fmt.Sprintf("%s %q not found", strings.Join(types, ", "), t.Name)
	undiscovered := view.UndiscoveredGroupVersions()
	switch {
	case len(undiscovered) > 0 && !t.qualified && !t.builtIn:
		return notFoundError(fmt.Sprintf("%s; another type of that name may have it: %s could not be discovered; check -n and --context", what, undiscovered[0]))
	case !namespaced || namespace == "":
		return notFoundError(what + ": it may be gone already, or in another cluster (--context)")
	case view.Namespace(namespace).Absent():
		return notFoundError(fmt.Sprintf("%s in namespace %q, which does not exist either; check -n and --context", what, namespace))
	}
	return notFoundError(fmt.Sprintf("%s in namespace %q: it may be gone already, or elsewhere (-n, --context)", what, namespace))
}

// notFoundError is the error of an object that does not exist.
type notFoundError string

func (n notFoundError) Error() string { return string(n) }

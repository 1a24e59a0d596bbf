package wait

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Scope is what one watch covers: one object, or the objects of a type in one namespace
// or in all. It never has a label selector: an object whose labels change would look
// deleted.
type Scope struct {
	Type      stuck.Type
	Selection cluster.Selection
}

// String is the scope as a user names it: "pod/web -n shop", "pods -n shop".
func (s Scope) String() string {
	name := s.Type.String()
	if s.Selection.Name != "" {
		name = s.Type.Ref(s.Selection.Name)
	}
	return name + stuck.InNamespace(s.Selection.Namespace)
}

// covers reports whether a watch of the scope would report the object.
func (s Scope) covers(o stuck.Object) bool {
	return s.Type.GVR() == o.Type.GVR() &&
		(s.Selection.Namespace == "" || !s.Type.Namespaced || s.Selection.Namespace == o.Namespace) &&
		(s.Selection.Name == "" || s.Selection.Name == o.Name)
}

// maxNamedScopes is how many objects of one type and namespace are watched one by one, which
// takes no right to the others.
const maxNamedScopes = 5

// scopesOf are the watches that cover some objects.
func scopesOf(objects []stuck.Object) []Scope {
	type place struct {
		t         string
		namespace string
	}
	var out []Scope
	for _, group := range stuck.GroupBy(objects, func(o stuck.Object) place { return place{o.Type.GVR().String(), o.Namespace} }) {
		first := group[0]
		if len(group) > maxNamedScopes {
			out = append(out, Scope{Type: first.Type, Selection: cluster.Selection{Namespace: first.Namespace}})
			continue
		}
		for _, o := range group {
			out = append(out, Scope{Type: o.Type, Selection: cluster.Selection{Namespace: o.Namespace, Name: o.Name}})
		}
	}
	return out
}

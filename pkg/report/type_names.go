package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TypeNames are names for the types of a cluster that are shorter than the full ones, and
// mean no other type there. The zero value knows none.
type TypeNames struct {
	// Singular stands before a name ("pvc"), Plural behind a number
	// ("persistentvolumeclaims").
	Singular, Plural func(stuck.Type) string
	// Kind is the singular of a type of which only the kind is known.
	Kind func(kind string) string
}

// ref is an object as kubectl takes it: "pvc/data".
func (n TypeNames) ref(o stuck.Object) string {
	if n.Singular == nil {
		return o.Ref()
	}
	return n.Singular(o.Type) + "/" + o.Name
}

// refFrom is an object as a reader finds it who looks into a namespace.
func (n TypeNames) refFrom(o stuck.Object, namespace string) string {
	if o.Namespace == namespace {
		return n.ref(o)
	}
	return n.ref(o) + stuck.InNamespace(o.Namespace)
}

// culpritFrom is the culprit as a reader finds it who looks into a namespace.
func (n TypeNames) culpritFrom(c stuck.Culprit, namespace string) string {
	kind := strings.ToLower(c.Kind)
	if n.Kind != nil {
		kind = n.Kind(c.Kind)
	}
	if c.Name != "" {
		kind += "/" + c.Name
	}
	if c.Namespace == namespace {
		return kind
	}
	return kind + stuck.InNamespace(c.Namespace)
}

// count is a number of objects of a type: "12 carts", "1 widget".
func (n TypeNames) count(objects int, t stuck.Type) string {
	switch {
	case objects == 1 && n.Singular == nil:
		return "1 " + t.Singular()
	case objects == 1:
		return "1 " + n.Singular(t)
	case n.Plural == nil:
		return fmt.Sprintf("%d %s", objects, t)
	}
	return fmt.Sprintf("%d %s", objects, n.Plural(t))
}

// group is the object by name, or the objects by number.
func (n TypeNames) group(g stuck.Group) string {
	if len(g) == 1 {
		return n.ref(g.First().Object)
	}
	return n.count(len(g), g.First().Object.Type)
}

// countByType are objects by number and type, or the object by its name where there is
// only one: "12 carts, 1 widget", "pvc/photos -n media".
func (n TypeNames) countByType(objects []stuck.Object, namespace string) string {
	if len(objects) == 1 {
		return n.refFrom(objects[0], namespace)
	}
	objects = slices.SortedStableFunc(slices.Values(objects), stuck.Compare)
	var counts []string
	for _, of := range stuck.GroupBy(objects, func(o stuck.Object) schema.GroupResource { return o.Type.GVR().GroupResource() }) {
		counts = append(counts, n.count(len(of), of[0].Type))
	}
	return stuck.JoinFirst(counts, maxNames)
}

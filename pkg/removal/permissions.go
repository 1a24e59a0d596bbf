package removal

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// AccessReviewer asks the API server who the user is and what they may do.
type AccessReviewer interface {
	// Username is the user as the API server knows them.
	Username(ctx context.Context) (string, error)
	// Can reports whether the user may do something to an object, or to one of
	// its subresources.
	Can(ctx context.Context, verb string, o stuck.Object, subresource string) (bool, error)
}

// MissingPermissions are the permissions that the user lacks for a plan, in words. Objects of
// one type and namespace are asked for once; where the user may not write all of
// them, each is asked for by its name until one is refused.
func MissingPermissions(ctx context.Context, self AccessReviewer, plan Plan) ([]string, error) {
	m := permissionChecker{self: self, allowed: map[permissionKey]bool{}, denied: map[permissionKey]bool{}}
	for _, step := range plan.Steps {
		for _, p := range requiredPermissions(step) {
			if err := m.check(ctx, p, step.Object); err != nil {
				return nil, err
			}
		}
	}
	for _, event := range plan.Events {
		if err := m.check(ctx, permission{"create", ""}, stuck.Object{Type: cluster.EventType, Namespace: event.Namespace()}); err != nil {
			return nil, err
		}
	}
	slices.Sort(m.missing)
	return m.missing, nil
}

// permissionChecker are the permissions that were asked for, and those that are missing.
type permissionChecker struct {
	self            AccessReviewer
	allowed, denied map[permissionKey]bool
	missing         []string
}

func (m *permissionChecker) check(ctx context.Context, p permission, o stuck.Object) error {
	key := permissionKey{permission: p, resource: o.Type.GVR(), namespace: o.Namespace}
	allowed, asked := m.allowed[key]
	if !asked {
		var err error
		if allowed, err = m.self.Can(ctx, p.verb, withoutName(o), p.subresource); err != nil {
			return err
		}
		m.allowed[key] = allowed
	}
	if allowed || m.denied[key] {
		return nil
	}
	if o.Name != "" {
		var err error
		if allowed, err = m.self.Can(ctx, p.verb, o, p.subresource); err != nil || allowed {
			return err
		}
	}
	m.denied[key] = true
	m.missing = append(m.missing, p.describe(o))
	return nil
}

// permission is a verb on a resource, or on a subresource.
type permission struct{ verb, subresource string }

// permissionKey is a permission for the objects of a type in a namespace.
type permissionKey struct {
	permission
	resource  schema.GroupVersionResource
	namespace string
}

func requiredPermissions(step Step) []permission {
	var out []permission
	if len(step.Finalizers) > 0 {
		out = append(out, permission{"patch", ""})
	}
	if len(step.SpecFinalizers) > 0 {
		out = append(out, permission{"update", "finalize"})
	}
	return append(out, permission{"get", ""})
}

func (n permission) describe(o stuck.Object) string {
	resource := o.Type.String()
	if n.subresource != "" {
		resource = o.Type.Resource + "/" + n.subresource
	}
	return n.verb + " " + resource + stuck.InNamespace(o.Namespace)
}

// withoutName is any object of the same type and namespace.
func withoutName(o stuck.Object) stuck.Object {
	o.Name = ""
	return o
}

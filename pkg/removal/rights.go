package removal

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Missing are the rights that the user lacks for a plan, in words. Objects of
// one type and namespace are asked for once; where the user may not write all of
// them, each is asked for by its name until one is refused.
func Missing(ctx context.Context, self cluster.Self, plan Plan) ([]string, error) {
	var missing []string
	all, refused := map[string]bool{}, map[string]bool{}
	for _, step := range plan.Steps {
		for _, need := range needs(step) {
			key := fmt.Sprint(step.Object.Type.GVR(), step.Object.Namespace, need)
			may, asked := all[key]
			if !asked {
				var err error
				if may, err = self.May(ctx, need.verb, anyOf(step.Object), need.subresource); err != nil {
					return nil, err
				}
				all[key] = may
			}
			if may || refused[key] {
				continue
			}
			may, err := self.May(ctx, need.verb, step.Object, need.subresource)
			if err != nil {
				return nil, err
			}
			if !may {
				refused[key] = true
				missing = append(missing, need.words(step.Object))
			}
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// need is a right.
type need struct{ verb, subresource string }

func needs(step Step) []need {
	var out []need
	if len(step.Finalizers) > 0 {
		out = append(out, need{"patch", ""})
	}
	if len(step.Spec) > 0 {
		out = append(out, need{"update", "finalize"})
	}
	return append(out, need{"get", ""})
}

func (n need) words(o stuck.Object) string {
	resource := o.Type.String()
	if n.subresource != "" {
		resource = o.Type.Resource + "/" + n.subresource
	}
	if o.Namespace == "" {
		return n.verb + " " + resource
	}
	return fmt.Sprintf("%s %s in namespace %s", n.verb, resource, o.Namespace)
}

// anyOf is any object of the same type and namespace.
func anyOf(o stuck.Object) stuck.Object {
	o.Name = ""
	return o
}

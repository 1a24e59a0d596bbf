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
	m := missing{self: self, all: map[string]bool{}, refused: map[string]bool{}}
	for _, step := range plan.Steps {
		for _, need := range needs(step) {
			if err := m.ask(ctx, need, step.Object); err != nil {
				return nil, err
			}
		}
	}
	for _, notice := range plan.Notices {
		if err := m.ask(ctx, need{"create", ""}, stuck.Object{Type: events, Namespace: notice.Namespace()}); err != nil {
			return nil, err
		}
	}
	slices.Sort(m.words)
	return m.words, nil
}

// missing are the rights that were asked for, and those that were not given.
type missing struct {
	self         cluster.Self
	all, refused map[string]bool
	words        []string
}

func (m *missing) ask(ctx context.Context, need need, o stuck.Object) error {
	key := fmt.Sprint(o.Type.GVR(), o.Namespace, need)
	may, asked := m.all[key]
	if !asked {
		var err error
		if may, err = m.self.May(ctx, need.verb, anyOf(o), need.subresource); err != nil {
			return err
		}
		m.all[key] = may
	}
	if may || m.refused[key] {
		return nil
	}
	if o.Name != "" {
		var err error
		if may, err = m.self.May(ctx, need.verb, o, need.subresource); err != nil || may {
			return err
		}
	}
	m.refused[key] = true
	m.words = append(m.words, need.words(o))
	return nil
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

package cluster

import (
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// IsUndeletable reports whether a type with these verbs can be listed, but not deleted.
func IsUndeletable(verbs []string) bool {
	return slices.Contains(verbs, "list") && !slices.Contains(verbs, "delete")
}

// ListTime measures how long the server takes to list one object of a type in a namespace, false
// where it does not respond.
func (v *View) ListTime(t stuck.Type, namespace string) (took time.Duration, known bool) {
	type measured struct {
		took  time.Duration
		known bool
	}
	m := memoizeWithGaps(v, "time to list "+t.String()+" in "+namespace, func() (measured, []stuck.Gap) {
		took, err := v.shared.source.ListTime(v.ctx, t, namespace)
		if err != nil {
			gap := listGap(t, namespace, err)
			gap.Source = "time to list " + gap.Source
			return measured{}, []stuck.Gap{gap}
		}
		return measured{took, true}, nil
	})
	return m.took, m.known
}

// DeletedWithNamespaces are the types of a group version whose objects the namespace controller deletes.
func (v *View) DeletedWithNamespaces(gv GroupVersion) []stuck.Type {
	return slices.DeleteFunc(slices.Clone(v.shared.types), func(t stuck.Type) bool {
		return t.Group != gv.Group || t.Version != gv.Version || !t.Namespaced || !t.Listable || t.Undeletable
	})
}

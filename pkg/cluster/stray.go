package cluster

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// StrayDependents are the objects that name a namespaced object as an owner
// from where that means nothing: from another namespace, or from none. It reads
// the whole cluster, once for all owners of a namespace.
func (v *View) StrayDependents(owner stuck.Object) Many[stuck.Object] {
	together := v.foreground(owner.Namespace)
	key := "stray dependents in " + owner.Namespace
	if !together[owner.UID] {
		key = "stray dependents " + string(owner.UID)
	}
	all := many(v.pass(key, Pass{
		Types: Surveyed(v.shared.types, ""),
		Keep: func(o stuck.Object) bool {
			return o.Namespace != owner.Namespace && slices.ContainsFunc(o.Owners, func(w stuck.Reference) bool {
				return w.UID == owner.UID || together[w.UID]
			})
		},
	}))
	all.Items = slices.DeleteFunc(all.Items, func(o stuck.Object) bool {
		return !slices.ContainsFunc(o.Owners, func(w stuck.Reference) bool { return w.UID == owner.UID })
	})
	// A group that was not discovered may hold dependents too.
	all.Complete = all.Complete && len(v.shared.discovery) == 0
	v.Note(v.shared.discovery...)
	return all
}

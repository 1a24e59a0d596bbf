package cluster

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CrossNamespaceDependents are the objects that name a namespaced object as an owner
// from where that means nothing: from another namespace, or from none. It reads
// the whole cluster, once for all owners of a namespace.
func (v *View) CrossNamespaceDependents(owner stuck.Object) List[stuck.Object] {
	foregroundUIDs := v.foregroundOwners(owner.Namespace)
	key := "stray dependents in " + owner.Namespace
	if !foregroundUIDs[owner.UID] {
		key = "stray dependents " + string(owner.UID)
	}
	all := objectsOf(v.survey(key, SurveyRequest{
		Types: SurveyedTypes(v.shared.types, ""),
		Keep: func(o stuck.Object) bool {
			return o.Namespace != owner.Namespace && slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool {
				return w.UID == owner.UID || foregroundUIDs[w.UID]
			})
		},
	}))
	all.Items = slices.DeleteFunc(all.Items, func(o stuck.Object) bool {
		return !slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return w.UID == owner.UID })
	})
	// A group that was not discovered may hold dependents too.
	all.Complete = all.Complete && len(v.shared.discoveryGaps) == 0
	v.AddGaps(v.shared.discoveryGaps...)
	return all
}

package owner

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// stranger discounts who is known to set finalizers on this object by a name of
// his own, where this one was set by another: that he may act on the type, or
// installed it, explains his own finalizer and not this. Only the catalogue
// knows better.
func stranger(s *search) {
	if len(s.owner.Known.Entries) > 0 && s.owner.Known.How != catalog.ByConvention {
		return
	}
	for _, c := range s.pool {
		mine := slices.ContainsFunc(s.owner.Setters, func(m cluster.Manager) bool { return akin(c.Workload, m.Name) })
		if len(s.owner.Setters) > 0 && !mine && s.setsAnother(c.Workload) {
			c.weight = min(c.weight, weak)
		}
	}
}

// setsAnother says whether a workload set another finalizer of the object.
func (s *search) setsAnother(w cluster.Workload) bool {
	for _, finalizer := range s.owner.Object.Finalizers {
		if finalizer == s.owner.Finalizer {
			continue
		}
		for _, m := range s.see.SetBy(s.owner.Object, finalizer) {
			if !Generic(m.Name) && called(w, m.Name) {
				return true
			}
		}
	}
	return false
}

// akin says whether a field manager may be a workload: it goes by that name, or
// by one that begins alike, as where parts of a program write in names of their
// own.
func akin(w cluster.Workload, manager string) bool {
	return called(w, manager) || strings.HasPrefix(manager, w.Name) || strings.HasPrefix(w.Name, manager)
}

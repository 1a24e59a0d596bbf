package controller

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// discountOtherSetters discounts a workload that is known to set finalizers on this object by a
// name of its own, where this one was set by another: that it may act on the type, or
// installed it, explains its own finalizer and not this. Only the catalog
// knows better.
func discountOtherSetters(s *search) {
	if len(s.controller.CatalogMatch.Entries) > 0 && s.controller.CatalogMatch.How != catalog.ByConvention {
		return
	}
	for _, c := range s.candidates {
		setByCandidate := slices.ContainsFunc(s.controller.Setters, func(m cluster.FieldManager) bool { return mayMatchName(c.Workload, m.Name) })
		if len(s.controller.Setters) > 0 && !setByCandidate && s.setsOtherFinalizer(c.Workload) {
			c.weight = min(c.weight, weightWeak)
		}
	}
}

// setsOtherFinalizer reports whether a workload set another finalizer of the object.
func (s *search) setsOtherFinalizer(w cluster.Workload) bool {
	return slices.ContainsFunc(s.view.OtherFinalizerManagers(s.controller.Object, s.controller.Finalizer), func(m cluster.FieldManager) bool {
		return !IsGenericManager(m.Name) && matchesName(w, m.Name)
	})
}

// SetsOtherFinalizer reports whether a field manager set another finalizer of the object, where this one was set by others.
func SetsOtherFinalizer(view *cluster.View, w Controller, manager string) bool {
	isManager := func(m cluster.FieldManager) bool { return m.Name == manager }
	if len(w.Setters) == 0 || IsGenericManager(manager) || slices.ContainsFunc(w.Setters, isManager) {
		return false
	}
	return slices.ContainsFunc(view.OtherFinalizerManagers(w.Object, w.Finalizer), isManager)
}

// mayMatchName reports whether a field manager may be a workload: it has that name, or
// by one that begins alike, as where parts of a program write in names of their
// own.
func mayMatchName(w cluster.Workload, manager string) bool {
	return matchesName(w, manager) || strings.HasPrefix(manager, w.Name) || strings.HasPrefix(w.Name, manager)
}

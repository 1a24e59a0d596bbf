package controller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// componentContainerClue looks among the workloads that other clues have led to for
// those that run the catalog's component as one of their containers, such as the
// sidecar of a storage driver, whose workload may have any name.
func componentContainerClue(s *search) {
	for _, e := range s.knownRemovers() {
		for _, c := range s.candidates {
			if name, ok := componentContainer(c.Workload, e.Component); ok && !matchesComponent(c.Workload, e.Component) {
				s.addClue(c.Workload, weightStrong, "runs container %s of %s, which removes %s", name, e.Project, e.Name())
			}
		}
	}
}

func componentContainer(w cluster.Workload, c catalog.Component) (name string, ok bool) {
	for _, container := range w.PodTemplate.Spec.Containers {
		if slices.Contains(c.Containers, container.Name) && !IsGenericManager(container.Name) {
			return container.Name, true
		}
	}
	return "", false
}

// discountOtherComponents discounts the workloads that are known to be another part of
// the catalog than the one that removes the finalizer: that they may write the
// type, or set the finalizer, does not make them remove it.
func discountOtherComponents(s *search) {
	removers := s.knownRemovers()
	if len(removers) == 0 {
		return
	}
	found := false
	for uid, c := range s.candidates {
		if slices.ContainsFunc(removers, func(e catalog.Entry) bool { return isComponent(c.Workload, e.Component) }) {
			found = true
			continue
		}
		if other, known := s.otherComponent(c.Type.Kind, c.Name, c.Namespace); known {
			delete(s.candidates, uid)
			s.controller.OtherComponents = append(s.controller.OtherComponents, c.Workload)
			s.controller.OtherPartExists = s.controller.OtherPartExists || other.Project == removers[0].Project
			s.addFact("%s belongs to %s and does not remove %s", c.RefInNamespace(), other.Project, s.controller.Finalizer)
		}
	}
	slices.SortFunc(s.controller.OtherComponents, func(a, b cluster.Workload) int {
		return strings.Compare(a.Namespace+"/"+a.Ref(), b.Namespace+"/"+b.Ref())
	})
	if found || len(s.candidates) > 0 {
		return
	}
	s.controller.NotInstalled = &removers[0]
	s.noteUnservedDomain(removers)
	if c := removers[0].Component; len(c.Workloads) == 0 && len(c.Containers) > 0 && s.controller.Complete {
		s.addNotFound("", "%s usually runs as container %s; no workload that may write %s has that container", removers[0].Project, strings.Join(c.Containers, " or "), s.controller.Object.Type)
	}
}

// noteUnservedDomain looks whether what removes the finalizer could do anything: no controller works whose own types are not served.
func (s *search) noteUnservedDomain(removers []catalog.Entry) {
	if len(removers) < len(s.controller.CatalogMatch.Entries) {
		return // something else may remove it, which cannot be recognized
	}
	for _, e := range removers {
		if e.OwnDomain() == "" || !s.view.LacksDomain(e.OwnDomain()) {
			return
		}
	}
	s.controller.UnservedDomain = removers[0].OwnDomain()
	s.addFact("the API server serves no API group of %s (%s)", removers[0].Project, s.controller.UnservedDomain)
}

// knownRemovers are the catalog's entries of what removes the finalizer, as far as that
// is a workload that can be recognized.
func (s *search) knownRemovers() []catalog.Entry {
	known := s.controller.CatalogMatch
	if known.How == catalog.ByConvention || known.OtherType {
		return nil
	}
	var out []catalog.Entry
	for _, e := range known.Entries {
		c := e.Component
		if c.RemovedBy == catalog.RemovedByWorkload && len(c.Workloads)+len(c.Containers)+len(c.Labels) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// isComponent reports whether a workload that other clues have led to is a component.
// Labels may be common to many projects, and count only where it usually runs, unless that may be anywhere.
func isComponent(w cluster.Workload, c catalog.Component) bool {
	_, hasContainer := componentContainer(w, c)
	hasLabels := (c.MayRunBesideObject() || slices.Contains(c.Namespaces, w.Namespace)) && c.MatchesLabels(w.PodTemplate.Labels)
	return hasContainer || hasLabels || c.HasWorkload(w.Type.Kind, w.Name)
}

// otherComponent is the entry whose component a workload is, by its name in one of the
// component's usual namespaces.
func (s *search) otherComponent(kind, name, namespace string) (catalog.Entry, bool) {
	all := s.catalog.Entries()
	i := slices.IndexFunc(all, func(e catalog.Entry) bool {
		return e.Component.HasWorkload(kind, name) && slices.Contains(e.Component.Namespaces, namespace)
	})
	if i < 0 {
		return catalog.Entry{}, false
	}
	return all[i], true
}

// NotInstalledName is what is not installed: the project, or where another part of it is, the part that removes the finalizer.
func (o Controller) NotInstalledName() string {
	if o.OtherPartExists && o.NotInstalled.Component.Name != "" {
		return o.NotInstalled.Component.Name + " of " + o.NotInstalled.Project
	}
	return o.NotInstalled.Project
}

// NotInstalledText says that the workload which removes the finalizer is not installed,
// nothing where that is not known.
func (o Controller) NotInstalledText() string {
	if o.NotInstalled == nil {
		return ""
	}
	c := o.NotInstalled.Component
	switch {
	case slices.ContainsFunc(o.OtherActors, func(a OtherActor) bool { return a.IsNamesake }):
		return o.NotInstalledName() + " seems not to be installed: no workload is recognized as its own"
	case len(c.Workloads) > 0:
		return fmt.Sprintf("%s is not installed: %s", o.NotInstalledName(), notFoundText(c.Workloads))
	case len(c.Containers) > 0:
		return fmt.Sprintf("%s is not installed: no container %s was found", o.NotInstalledName(), strings.Join(c.Containers, " or "))
	}
	return o.NotInstalledName() + " is not installed"
}

// notFoundText says that none of some workloads was found: "statefulset or deployment/x was not found" where they have one name.
// Several names are left to the evidence.
func notFoundText(workloads []string) string {
	first, name, _ := strings.Cut(workloads[0], "/")
	kinds := []string{first}
	for _, w := range workloads[1:] {
		kind, other, _ := strings.Cut(w, "/")
		if other != name {
			return fmt.Sprintf("none of its %d usual workloads was found", len(workloads))
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, " or ") + "/" + name + " was not found"
}

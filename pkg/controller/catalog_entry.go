package controller

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// catalogClue looks where the catalog says that the finalizer's
// controller usually runs.
func catalogClue(s *search) {
	known := s.controller.CatalogMatch
	if known.How == catalog.ByConvention {
		s.controller.NamingFacts = append(s.controller.NamingFacts, known.Reason)
	}
	for _, e := range known.Entries {
		s.addFact("%s", KnownFinalizerText(e))
		namedTargetFact(s, e)
		if e.Component.Hosted != nil {
			s.addFact("its controller runs %s", e.Component.Hosted.Where)
		}
		if e.Component.RemovedBy == catalog.RemovedByWorkload {
			componentClue(s, e)
		}
	}
}

// KnownFinalizerText is what the catalog says of a finalizer, in one line.
func KnownFinalizerText(e catalog.Entry) string {
	return fmt.Sprintf("known finalizer %s (%s): %s", e.Name(), e.Project, e.WaitsFor)
}

// componentClue looks for a component by the names it usually has: in its usual
// namespaces, and then anywhere. Elsewhere the name alone tells nothing: many
// projects call a workload controller or operator.
func componentClue(s *search, e catalog.Entry) {
	found := false
	for _, namespace := range e.Component.Namespaces {
		all := s.view.Workloads(namespace)
		s.requireComplete(all.Complete)
		for _, w := range all.Items {
			if matchesComponent(w, e.Component) {
				s.addClue(w, weightStrong+weightWeak, "has the usual name and namespace of %s, which removes %s", e.Project, e.Name())
				found = true
			}
		}
	}
	if found {
		return
	}
	none := "no workload of that name exists"
	for _, workload := range e.Component.Workloads {
		_, name, _ := strings.Cut(workload, "/")
		named := s.view.WorkloadsNamed(name)
		s.requireComplete(named.Complete)
		for _, w := range named.Items {
			if !s.mayBeComponent(w, e.Component) {
				s.addFact("%s has the usual name of %s, and nothing else of it", w.RefInNamespace(), e.Project)
				none = "what has that name is something else"
				continue
			}
			s.addClue(w, weightStrong, "has the usual name of %s, which removes %s", e.Project, e.Name())
			found = true
		}
	}
	if !found && len(e.Component.Workloads) > 0 {
		s.addNotFound("", "%s usually runs as %s; %s", e.Project, strings.Join(e.Component.Workloads, " or "), none)
	}
}

// mayBeComponent reports whether a workload that has the usual name of a component, in a namespace that is not usual, may be that: it has
// the container or the labels too, or a name that says something and the permissions, as far as all roles could be read.
func (s *search) mayBeComponent(w cluster.Workload, c catalog.Component) bool {
	if _, hasContainer := componentContainer(w, c); hasContainer || c.MatchesLabels(w.PodTemplate.Labels) {
		return true
	}
	missing, known := MissingVerbs(s.view, w, s.controller)
	return !known || len(missing) == 0 && !IsGenericManager(w.Name) && w.Name != "controller-manager"
}

func matchesComponent(w cluster.Workload, c catalog.Component) bool {
	return c.HasWorkload(w.Type.Kind, w.Name) || c.MatchesLabels(w.PodTemplate.Labels)
}

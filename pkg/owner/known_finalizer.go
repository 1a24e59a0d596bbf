package owner

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// knownFinalizer looks where the catalogue says that the finalizer's
// controller usually runs.
func knownFinalizer(s *search) {
	known := s.owner.Known
	if known.How == catalog.ByConvention {
		s.fact("%s", known.Because)
	}
	for _, e := range known.Entries {
		s.fact("it is known: %s of %s, which %s", e.Title(), e.Project, e.WaitsFor)
		namedTarget(s, e)
		if e.Component.RemovedBy == catalog.RemovedByWorkload {
			usual(s, e)
		}
	}
}

// usual looks for a component by the names it usually has: in its usual
// namespaces, and then anywhere.
func usual(s *search, e catalog.Entry) {
	found := false
	for _, namespace := range e.Component.Namespaces {
		all := s.see.Workloads(namespace)
		s.needs(all.Complete)
		for _, w := range all.Items {
			if isComponent(w, e.Component) {
				s.point(w, strong+weak, "it is the %s that removes %s, by its usual name and place", e.Project, e.Title())
				found = true
			}
		}
	}
	if found {
		return
	}
	for _, workload := range e.Component.Workloads {
		_, name, _ := strings.Cut(workload, "/")
		named := s.see.WorkloadsNamed(name)
		s.needs(named.Complete)
		for _, w := range named.Items {
			s.point(w, strong, "it is called like the %s that removes %s", e.Project, e.Title())
			found = true
		}
	}
	if !found && len(e.Component.Workloads) > 0 {
		s.trace("", "%s usually runs as %s, and nothing of that name was found", e.Project, strings.Join(e.Component.Workloads, " or "))
	}
}

func isComponent(w cluster.Workload, c catalog.Component) bool {
	for _, usual := range c.Workloads {
		if strings.EqualFold(usual, w.Type.Kind+"/"+w.Name) {
			return true
		}
	}
	return c.Selects(w.Pod.Labels)
}

package controller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// catalogClue looks where the catalog says that the finalizer's
// controller usually runs.
func catalogClue(s *search) {
	known := s.controller.CatalogMatch
	if known.How == catalog.ByConvention {
		s.controller.NamingFacts = append(s.controller.NamingFacts, known.Reason)
	}
	for _, e := range known.Entries {
		if isOfKubernetesElsewhere(known, e) {
			s.addFact("%s removes %s from %s, and not from %s: it may have been copied from another manifest", e.Component.RemovedBy.Text(), e.Name(), stuck.JoinFirst(typeNames(e.Types), 3), s.controller.Object.Type)
			continue
		}
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

// isOfKubernetesElsewhere reports whether a finalizer is one that Kubernetes itself removes, and only from objects of other types.
func isOfKubernetesElsewhere(known catalog.Match, e catalog.Entry) bool {
	return known.OtherType && len(e.Types) > 0 && e.Component.RemovedBy.IsKubernetes()
}

func typeNames(types []catalog.Type) []string {
	var out []string
	for _, t := range types {
		out = append(out, string(t))
	}
	return out
}

// KnownFinalizerText is what the catalog says of a finalizer, in one line.
func KnownFinalizerText(e catalog.Entry) string {
	return fmt.Sprintf("known finalizer %s (%s): %s", e.Name(), e.Project, e.WaitsFor)
}

// componentClue looks for a component by the names it usually has: in its usual
// namespaces, and then anywhere. Elsewhere a name such as controller or operator
// alone tells nothing.
func componentClue(s *search, e catalog.Entry) {
	found, complete := false, true
	for _, namespace := range s.usualNamespaces(e.Component) {
		all := s.view.Workloads(namespace)
		complete = complete && all.Complete
		for _, w := range all.Items {
			if matchesComponent(w, e.Component) {
				s.addClue(w, weightStrong+weightWeak, "has the usual name and namespace of %s, which removes %s", e.Project, e.Name())
				found = true
			}
		}
	}
	s.requireComplete(complete)
	if found {
		return
	}
	if s.addRenamedComponent(e) {
		return
	}
	none := "no workload of that name exists"
	for _, workload := range e.Component.Workloads {
		_, name, _ := strings.Cut(workload, "/")
		named := s.view.WorkloadsNamed(name)
		s.requireComplete(named.Complete)
		complete = complete && named.Complete
		for _, w := range named.Items {
			if !s.mayBeComponent(w, e.Component) {
				s.addOtherActor(OtherActor{Description: fmt.Sprintf("%s (it has the usual name of %s, and neither its container, its labels nor its permissions)", w.RefInNamespace(), e.Project), IsNamesake: true})
				none = "no workload of that name is recognized as it"
				continue
			}
			s.addClue(w, weightStrong, "has the usual name of %s, which removes %s", e.Project, e.Name())
			found = true
		}
	}
	usual := strings.Join(e.Component.Workloads, " or ")
	switch {
	case found || usual == "":
	case complete:
		s.addNotFound("", "%s usually runs as %s; %s", e.Project, usual, none)
	default:
		s.addFact("%s usually runs as %s; not all workloads could be read", e.Project, usual)
	}
}

// usualNamespaces are where a component usually runs; if it may run where the object is, there too.
func (s *search) usualNamespaces(c catalog.Component) []string {
	own := s.controller.Object.Namespace
	if !c.MayRunBesideObject() || own == "" || slices.Contains(c.Namespaces, own) {
		return c.Namespaces
	}
	return append(slices.Clone(c.Namespaces), own)
}

// addRenamedComponent looks for a workload of a component that a Helm release installed under a name that begins with its own: the usual
// name is behind that, and is the name in the recommended label.
func (s *search) addRenamedComponent(e catalog.Entry) (found bool) {
	all := s.view.WorkloadObjects()
	s.requireComplete(all.Complete)
	for _, workload := range e.Component.Workloads {
		_, name, _ := strings.Cut(workload, "/")
		for _, o := range all.Items {
			if IsGenericManager(name) || !strings.HasSuffix(o.Name, "-"+name) || !e.Component.HasWorkload(o.Type.Kind, name) {
				continue
			}
			inNamespace := s.view.Workloads(o.Namespace)
			s.requireComplete(inNamespace.Complete)
			for _, w := range inNamespace.Items {
				if w.UID == o.UID && w.Labels[labelName] == name {
					s.addClue(w, weightStrong, "has the label %s=%s, the usual name of %s, which removes %s", labelName, name, e.Project, e.Name())
					found = true
				}
			}
		}
	}
	return found
}

// mayBeComponent reports whether a workload that has the usual name of a component, in a namespace that is not usual, may be that. A name that
// many use is too little: the container, the labels or the permissions have to fit too, as far as all roles could be read.
func (s *search) mayBeComponent(w cluster.Workload, c catalog.Component) bool {
	_, hasContainer := componentContainer(w, c)
	if hasContainer || c.MatchesLabels(w.PodTemplate.Labels) || !IsGenericManager(w.Name) && w.Name != "controller-manager" {
		return true
	}
	missing, known := MissingVerbs(s.view, w, s.controller)
	return !known || len(missing) == 0
}

func matchesComponent(w cluster.Workload, c catalog.Component) bool {
	return c.HasWorkload(w.Type.Kind, w.Name) || c.MatchesLabels(w.PodTemplate.Labels)
}

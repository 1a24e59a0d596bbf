// Package controller says which controller should have removed a finalizer, and
// whether it is healthy: one file per clue.
//
// Its law: a clue is a fact and says where it was read. No clue, and no clues
// together, ever make a controller dead that could merely not be found.
package controller

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Controller is what was found out about the controller behind one finalizer of one
// object.
type Controller struct {
	Object    stuck.Object
	Finalizer string
	// CatalogMatch is what the catalog says of the finalizer.
	CatalogMatch catalog.Match
	// Candidates are the workloads that the clues point at, best first, as far as
	// they are equally good. More than one means that the clues disagree.
	Candidates []Candidate
	// LesserCandidates are other workloads that clues point at, fewer of them.
	LesserCandidates []Candidate
	// Setters are the field managers that set the finalizer and tell something.
	Setters []cluster.FieldManager
	// Facts are clues that point at no workload.
	Facts []string
	// NamingFacts are the same from names alone: where to look, and no evidence.
	NamingFacts []string
	// MissingTargets are what points at something that is no longer there.
	MissingTargets []MissingTarget
	// OtherActors are who may act on the object too, without anything that says
	// that they do: users, and workloads that may do everything.
	OtherActors []OtherActor
	// OtherComponents are workloads that may act on the object and are known to be
	// something else than what removes the finalizer.
	OtherComponents []cluster.Workload
	// NotInstalled is the catalog's entry where what removes the finalizer is known and
	// was not found, and what might be taken for it is known to be something else.
	NotInstalled *catalog.Entry
	// OtherPartExists says that another part of the same project was found.
	OtherPartExists bool
	// UnservedDomain is the domain of what is not installed, where the API server serves no API group under it.
	UnservedDomain string
	// Complete says that every clue could be looked at.
	Complete bool
}

// Candidate is a workload that a clue points at.
type Candidate struct {
	cluster.Workload
	Clues []string
	// ServesType says that it serves and stores the objects of the type itself, as the
	// server of an aggregated API does, and needs no right for that.
	ServesType bool
	weight     int
	// container is the one to read the log of, empty for the one that kubectl takes.
	container string
}

// IsNamed reports whether a clue names the workload, and does not merely fit it.
func (c Candidate) IsNamed() bool { return c.weight >= weightStrong }

// MissingTarget is a clue that points at nothing, or no longer.
type MissingTarget struct {
	// Namespace is where it should have been, empty where that is not known.
	Namespace   string
	Description string
	// Deleted says that it was there and is not any more. Otherwise it was merely
	// not found where it was looked for.
	Deleted bool
}

// OtherActor is somebody who may act on the object. It is no candidate: too little
// points at it, or nothing can be known of its health.
type OtherActor struct {
	Description string
	// NotExaminable says that clues do point at it, and that it cannot be examined: it runs outside the cluster, or as something
	// that is no workload, or the type is one that Kubernetes itself watches.
	NotExaminable bool
	// IsNamesake says that by its name, or what it was allowed, it may be what removes the finalizer, and that it is not recognized as that.
	IsNamesake bool
	// IsKnown says that the catalog knows what it is: the controller of other finalizers.
	IsKnown bool
	// NotRunning says that it does not run now, so that it would not be seen at work.
	NotRunning bool
}

// The weight of a clue.
const (
	weightWeak   = 1 // fits many
	weightFair   = 2 // fits few
	weightStrong = 3 // names it
)

// Find looks at every clue.
func Find(view *cluster.View, known *catalog.Catalog, o stuck.Object, finalizer string) Controller {
	s := &search{view: view, catalog: known, candidates: map[types.UID]*Candidate{}, controller: Controller{Object: o, Finalizer: finalizer, Complete: true}}
	subject := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: view.APIGroups()}
	for _, m := range view.FinalizerManagers(o, finalizer) {
		subject.Managers = append(subject.Managers, m.Name)
	}
	s.controller.CatalogMatch = known.Lookup(finalizer, subject)
	if !stuck.IsBuiltInGroup(o.Type.Group) {
		s.controller.NamingFacts = []string{fmt.Sprintf("type %s is in API group %s", o.Type.Resource, o.Type.Group)}
	}
	clues := []func(*search){fieldManagerClue, catalogClue, rbacClue, installerClue, admissionWebhookClue, workloadNameClue, conversionWebhookClue, componentContainerClue, discountOtherSetters, discountOtherComponents, discountOtherNamespaces, lookalikesClue}
	if s.controller.NonWorkloadRemover() != "" {
		// No workload of the cluster removes it: there is none to look for.
		clues = []func(*search){fieldManagerClue, catalogClue}
	}
	for _, clue := range clues {
		clue(s)
	}
	s.controller.Candidates = s.bestCandidates()
	s.controller.LesserCandidates = slices.DeleteFunc(s.rankedCandidates()[len(s.controller.Candidates):], func(c Candidate) bool { return c.weight < weightFair })
	if len(s.controller.Candidates) == 0 {
		s.addWeakCandidates()
	}
	return s.controller
}

// search is the state of one search.
type search struct {
	view       *cluster.View
	catalog    *catalog.Catalog
	controller Controller
	candidates map[types.UID]*Candidate
}

// requireComplete says that a clue rests on an answer, which may be incomplete.
func (s *search) requireComplete(complete bool) {
	s.controller.Complete = s.controller.Complete && complete
}

func (s *search) addFact(format string, args ...any) {
	s.controller.Facts = append(s.controller.Facts, fmt.Sprintf(format, args...))
}

// addNotFound notes what was not found where it was looked for.
func (s *search) addNotFound(namespace, format string, args ...any) {
	s.addMissingTarget(MissingTarget{Namespace: namespace, Description: fmt.Sprintf(format, args...)})
}

// addDeleted notes what was there and is not any more.
func (s *search) addDeleted(namespace, format string, args ...any) {
	s.addMissingTarget(MissingTarget{Namespace: namespace, Description: fmt.Sprintf(format, args...), Deleted: true})
}

func (s *search) addMissingTarget(t MissingTarget) {
	if !slices.Contains(s.controller.MissingTargets, t) {
		s.controller.MissingTargets = append(s.controller.MissingTargets, t)
	}
}

func (s *search) addOtherActor(o OtherActor) {
	if !slices.Contains(s.controller.OtherActors, o) {
		s.controller.OtherActors = append(s.controller.OtherActors, o)
	}
}

// addWeakCandidates remembers the workloads that too little points at. Who watches a built-in type tells nothing about
// them: Kubernetes itself watches it too.
func (s *search) addWeakCandidates() {
	for _, c := range s.rankedCandidates() {
		s.addOtherActor(OtherActor{
			Description:   fmt.Sprintf("%s (%s)", c.RefInNamespace(), c.Clues[0]),
			NotExaminable: stuck.IsBuiltInGroup(s.controller.Object.Type.Group), NotRunning: c.Ready == 0,
		})
	}
}

// addClue says that a clue points at a workload. The same words count once.
func (s *search) addClue(w cluster.Workload, weight int, format string, args ...any) {
	c := s.candidates[w.UID]
	if c == nil {
		c = &Candidate{Workload: w}
		s.candidates[w.UID] = c
	}
	says := fmt.Sprintf(format, args...)
	if slices.Contains(c.Clues, says) {
		return
	}
	c.Clues = append(c.Clues, says)
	c.weight += weight
}

// bestCandidates are the candidates that the most points at. One that is nearly as good
// stays: where clues disagree, that is to be shown.
func (s *search) bestCandidates() []Candidate {
	all := s.rankedCandidates()
	for i, c := range all {
		if c.weight < weightFair || c.weight < all[0].weight-weightWeak {
			return all[:i]
		}
	}
	return all
}

// rankedCandidates are all candidates, best first. Of two installations that the same points at, the one
// that runs comes first.
func (s *search) rankedCandidates() []Candidate {
	var all []Candidate
	for _, c := range s.candidates {
		c.container = containerToRead(c.Workload, s.controller.CatalogMatch)
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(b.weight-a.weight, min(b.Ready, 1)-min(a.Ready, 1), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Ref(), b.Ref()))
	})
	return all
}

// NonWorkloadRemover is what removes the finalizer if that is no workload of the cluster
// but a part of Kubernetes, of a cloud, or of somewhere else; empty otherwise.
func (o Controller) NonWorkloadRemover() catalog.Remover {
	for _, e := range o.CatalogMatch.Entries {
		switch e.Component.RemovedBy {
		case catalog.RemovedByWorkload, catalog.RemovedByTypeController, catalog.RemovedByManagedPod:
		default:
			return e.Component.RemovedBy
		}
	}
	return ""
}

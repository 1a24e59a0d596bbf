// Package owner says who should have removed a finalizer, and whether they are
// alive: one file per clue.
//
// Its law: a clue is a fact and says where it was read. No clue, and no clues
// together, ever make a controller dead that could merely not be found.
package owner

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Owner is what was found out about the controller behind one finalizer of one
// object.
type Owner struct {
	Object    stuck.Object
	Finalizer string
	// Known is what the catalogue says of the finalizer.
	Known catalog.Match
	// Suspects are the workloads that the clues point at, best first, as far as
	// they are equally good. More than one means that the clues disagree.
	Suspects []Candidate
	// Setters are the field managers that set the finalizer and tell something.
	Setters []cluster.Manager
	// Facts are clues that point at no workload.
	Facts []string
	// Traces are what points at something that is no longer there.
	Traces []Trace
	// Others are who may act on the object too, without anything that says
	// that they do: users, and workloads that may do everything.
	Others []Other
	// Complete says that every clue could be looked at.
	Complete bool
}

// Candidate is a workload that a clue points at.
type Candidate struct {
	cluster.Workload
	Clues  []string
	weight int
}

// Trace is a clue that points at nothing, or no longer.
type Trace struct {
	// Namespace is where it should have been, empty where that is not known.
	Namespace string
	Says      string
	// Gone says that it was there and is not any more. Otherwise it was merely
	// not found where it was looked for.
	Gone bool
}

// Other is somebody who may act on the object. He is no suspect: too little
// points at him, or nothing can be known of his health.
type Other struct {
	Says string
	// Unseen says that clues do point at it, and that it cannot be examined:
	// it runs outside the cluster, or as something that is no workload.
	Unseen bool
	// Down says that it does not run now, so that it would not be seen at work.
	Down bool
}

// The weight of a clue.
const (
	weak   = 1 // fits many
	fair   = 2 // fits few
	strong = 3 // names it
)

// Find looks at every clue.
func Find(see *cluster.View, known *catalog.Catalog, o stuck.Object, finalizer string) Owner {
	s := &search{see: see, pool: map[types.UID]*Candidate{}, owner: Owner{Object: o, Finalizer: finalizer, Complete: true}}
	on := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: see.Groups()}
	for _, m := range see.SetBy(o, finalizer) {
		on.Managers = append(on.Managers, m.Name)
	}
	s.owner.Known = known.Lookup(finalizer, on)
	s.owner.Facts = append(s.owner.Facts, group(o))
	clues := []func(*search){fieldManager, knownFinalizer, rights, provenance, webhooks, namesake, conversion, stranger}
	if s.owner.BuiltIn() != "" {
		// No workload of the cluster removes it: there is none to look for.
		clues = []func(*search){fieldManager, knownFinalizer}
	}
	for _, look := range clues {
		look(s)
	}
	s.owner.Suspects = s.best()
	if len(s.owner.Suspects) == 0 {
		s.unlikely()
	}
	return s.owner
}

// search is the state of one search.
type search struct {
	see   *cluster.View
	owner Owner
	pool  map[types.UID]*Candidate
}

// needs says that a clue rests on an answer, which may be incomplete.
func (s *search) needs(complete bool) { s.owner.Complete = s.owner.Complete && complete }

func (s *search) fact(format string, args ...any) {
	s.owner.Facts = append(s.owner.Facts, fmt.Sprintf(format, args...))
}

// trace notes what was not found where it was looked for.
func (s *search) trace(namespace, format string, args ...any) {
	s.leave(Trace{Namespace: namespace, Says: fmt.Sprintf(format, args...)})
}

// gone notes what was there and is not any more.
func (s *search) gone(namespace, format string, args ...any) {
	s.leave(Trace{Namespace: namespace, Says: fmt.Sprintf(format, args...), Gone: true})
}

func (s *search) leave(t Trace) {
	if !slices.Contains(s.owner.Traces, t) {
		s.owner.Traces = append(s.owner.Traces, t)
	}
}

func (s *search) other(o Other) {
	if !slices.Contains(s.owner.Others, o) {
		s.owner.Others = append(s.owner.Others, o)
	}
}

// unlikely remembers the workloads that too little points at.
func (s *search) unlikely() {
	for _, c := range s.ranked() {
		s.other(Other{Says: fmt.Sprintf("%s in namespace %s (%s)", c.Ref(), c.Namespace, c.Clues[0]), Down: c.Ready == 0})
	}
}

// point says that a clue points at a workload. The same words count once.
func (s *search) point(w cluster.Workload, weight int, format string, args ...any) {
	c := s.pool[w.UID]
	if c == nil {
		c = &Candidate{Workload: w}
		s.pool[w.UID] = c
	}
	says := fmt.Sprintf(format, args...)
	if slices.Contains(c.Clues, says) {
		return
	}
	c.Clues = append(c.Clues, says)
	c.weight += weight
}

// best are the candidates that the most points at. One that is nearly as good
// stays: where clues disagree, that is to be shown.
func (s *search) best() []Candidate {
	all := s.ranked()
	for i, c := range all {
		if c.weight < fair || c.weight < all[0].weight-weak {
			return all[:i]
		}
	}
	return all
}

// ranked are all candidates, best first.
func (s *search) ranked() []Candidate {
	var all []Candidate
	for _, c := range s.pool {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(b.weight-a.weight, cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Ref(), b.Ref()))
	})
	return all
}

// group is the API that the object's type belongs to: most controllers put
// finalizers on the types of their own group.
func group(o stuck.Object) string {
	if o.Type.Group == "" {
		return fmt.Sprintf("%s is a type of Kubernetes' core API", o.Type)
	}
	return fmt.Sprintf("%s is a type of API group %s", o.Type.Resource, o.Type.Group)
}

// BuiltIn is what removes the finalizer if that is no workload of the cluster
// but a part of Kubernetes, of a cloud, or of somewhere else; empty otherwise.
func (o Owner) BuiltIn() catalog.Remover {
	for _, e := range o.Known.Entries {
		switch e.Component.RemovedBy {
		case catalog.RemovedByWorkload, catalog.RemovedByKindsOwner, catalog.RemovedByManagedPod:
		default:
			return e.Component.RemovedBy
		}
	}
	return ""
}

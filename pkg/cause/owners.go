package cause

import (
	"fmt"
	"sync"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// owners looks for the controllers of finalizers. Where many objects of a type
// and a namespace carry the same finalizers, it looks at the first of them for
// all: to search for the owners of five thousand alike objects would cost the
// API server thousands of requests, and find the same.
type owners struct {
	known *catalog.Catalog

	mu    sync.Mutex
	first map[string]stuck.Object
	found map[string]func() owned
}

// owned is what was found out about one finalizer's controller.
type owned struct {
	findings []stuck.Finding
	open     []stuck.Open
	document []stuck.Owner
}

func newOwners(known *catalog.Catalog) *owners {
	return &owners{known: known, first: map[string]stuck.Object{}, found: map[string]func() owned{}}
}

// represent chooses the objects that stand for many.
func (w *owners) represent(objects []stuck.Object) {
	count := map[string]int{}
	for _, o := range objects {
		count[kin(o)]++
	}
	for _, o := range objects {
		if _, ok := w.first[kin(o)]; !ok && count[kin(o)] > stuck.Handful {
			w.first[kin(o)] = o
		}
	}
}

// kin is equal for objects whose finalizers have the same owners.
func kin(o stuck.Object) string {
	return fmt.Sprint(o.Type.GVR(), o.Namespace, o.Finalizers)
}

// of looks for the owner of a finalizer and for what is wrong with it, once.
func (w *owners) of(see *cluster.View, o stuck.Object, finalizer string) owned {
	w.mu.Lock()
	if first, ok := w.first[kin(o)]; ok {
		o = first
	}
	key := string(o.UID) + " " + finalizer
	find, ok := w.found[key]
	if !ok {
		find = sync.OnceValue(func() owned { return w.find(see, o, finalizer) })
		w.found[key] = find
	}
	w.mu.Unlock()
	return find()
}

func (w *owners) find(see *cluster.View, o stuck.Object, finalizer string) owned {
	own := see.Apart()
	who := owner.Find(own, w.known, o, finalizer)
	out := owned{document: who.Document(own), open: opens("owner of "+finalizer, own)}
	for _, c := range All() {
		if c.Owned == nil {
			continue
		}
		own := see.Apart()
		for _, f := range c.Owned(own, who) {
			f.Cause, f.Explains = c.ID, []string{finalizer}
			out.findings = append(out.findings, f)
		}
		out.open = append(out.open, opens(c.ID, own)...)
	}
	return out
}

package diagnose

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// controllers looks for the controllers of finalizers. Where many objects of a type
// and a namespace carry the same finalizers, it looks at the first of them for
// all: to search for the controllers of five thousand similar objects would cost the
// API server thousands of requests, and find the same.
type controllers struct {
	catalog *catalog.Catalog
	// prediction is nil for objects that are being deleted.
	prediction Prediction

	mu              sync.Mutex
	representatives map[string]stuck.Object
	// representative is what stands for an object that has been asked about. Its finalizers, of which there may be thousands, are
	// compared once for each object.
	representative map[stuck.ObjectKey]stuck.Object
	results        map[string]func() controllerResult
}

// controllerResult is what was found out about one finalizer's controller.
type controllerResult struct {
	findings []stuck.Finding
	// own are findings that hold for the object alone that was looked at.
	own      []stuck.Finding
	open     []stuck.OpenCause
	document []stuck.Controller
}

func (r *controllerResult) add(ofOneObject bool, findings []stuck.Finding) {
	if ofOneObject {
		r.own = append(r.own, findings...)
		return
	}
	r.findings = append(r.findings, findings...)
}

func newControllers(entries *catalog.Catalog) *controllers {
	return &controllers{catalog: entries, representatives: map[string]stuck.Object{}, representative: map[stuck.ObjectKey]stuck.Object{}, results: map[string]func() controllerResult{}}
}

// chooseRepresentatives chooses the objects that stand for many.
func (w *controllers) chooseRepresentatives(objects []stuck.Object) {
	count := map[string]int{}
	for _, o := range objects {
		count[groupKey(o)]++
	}
	for _, o := range objects {
		key := groupKey(o)
		first, ok := w.representatives[key]
		if !ok && count[key] > stuck.MaxUngrouped {
			first, ok = o, true
			w.representatives[key] = o
		}
		if ok {
			w.representative[o.Key()] = first
		}
	}
}

// groupKey is equal for objects whose finalizers have the same owners.
func groupKey(o stuck.Object) string {
	return fmt.Sprint(o.Type.GVR(), o.Namespace, o.Finalizers)
}

// resultFor looks for the controller of a finalizer and for what is wrong with it, once. It is empty where the context is canceled.
func (w *controllers) resultFor(ctx context.Context, view *cluster.View, o stuck.Object, finalizer string) controllerResult {
	if ctx.Err() != nil {
		return controllerResult{}
	}
	w.mu.Lock()
	stands := true
	if first, ok := w.representative[o.Key()]; ok {
		stands, o = first.UID == o.UID, first
	}
	key := string(o.UID) + " " + finalizer
	find, ok := w.results[key]
	if !ok {
		find = sync.OnceValue(func() controllerResult { return w.find(view, o, finalizer) })
		w.results[key] = find
	}
	w.mu.Unlock()
	result := find()
	if stands {
		result.findings = slices.Concat(result.findings, result.own)
	}
	return result
}

func (w *controllers) find(view *cluster.View, o stuck.Object, finalizer string) controllerResult {
	if w.prediction != nil {
		return w.findPredicted(view, o, finalizer)
	}
	scoped := view.Scoped()
	found := controller.Find(scoped, w.catalog, o, finalizer)
	result := controllerResult{document: found.Document(scoped), open: openCauses(controllerOf(finalizer), scoped)}
	for _, c := range Causes() {
		if c.ByController == nil {
			continue
		}
		scoped := view.Scoped()
		for _, f := range c.ByController(scoped, found) {
			f.Cause = c.ID
			result.add(c.OfOneObject, explaining([]stuck.Finding{f}, finalizer))
		}
		result.open = append(result.open, openCauses(c.ID, scoped)...)
	}
	if len(result.findings)+len(result.own) == 0 {
		result.document[0].Clues = append(result.document[0].Clues, found.WatchEvidence(scoped)...)
	}
	return result
}

// controllerOf names the search for a controller, where not everything could be read for it.
func controllerOf(finalizer string) string { return "controller of " + finalizer }

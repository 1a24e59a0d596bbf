package diagnose

import (
	"context"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Prediction is what is known of a deletion that nobody has requested yet.
type Prediction interface {
	// Present is a view of the cluster as it is. Controllers are looked for there.
	Present() *cluster.View
	// Find returns what the deletion itself does to an object, beside what causes find.
	Find(o stuck.Object) []stuck.Finding
	// FindLost returns what the deletion does to the controller of a finalizer. With such a
	// finding no other cause is looked for in the controller.
	FindLost(c controller.Controller) []stuck.Finding
	// FindWorking returns a finding with verdict Progressing for a controller that is expected
	// to remove its finalizer. It is asked where no cause was found.
	FindWorking(c controller.Controller) []stuck.Finding
}

// Predict is Objects for objects that nobody has deleted yet: they are given as they would be
// after their deletion, and the view is one of the cluster after it. An object with verdict
// Progressing is expected to be deleted.
func Predict(ctx context.Context, view *cluster.View, entries *catalog.Catalog, objects []stuck.Object, p Prediction) ([]*stuck.Diagnosis, error) {
	controllers := newControllers(entries)
	controllers.prediction = p
	return diagnoseAll(ctx, view, controllers, objects)
}

// findPredicted are the findings about the controller of a finalizer if the deletion were
// requested.
func (w *controllers) findPredicted(view *cluster.View, o stuck.Object, finalizer string) controllerResult {
	scoped := w.prediction.Present().Scoped()
	found := controller.Find(scoped, w.catalog, o, finalizer)
	result := controllerResult{document: found.Document(scoped), open: openCauses("controller of "+finalizer, scoped)}
	if lost := w.prediction.FindLost(found); len(lost) > 0 {
		result.findings = explaining(lost, finalizer)
		return result
	}
	for _, c := range Causes() {
		if c.ByController == nil || c.AfterDeletion {
			continue
		}
		scoped := w.prediction.Present().Scoped()
		if c.OfOneObject { // it is about the object, of which the controller is known
			scoped = view.Scoped()
		}
		for _, f := range c.ByController(scoped, found) {
			f.Cause = c.ID
			result.add(c.OfOneObject, explaining([]stuck.Finding{f}, finalizer))
		}
		result.open = append(result.open, openCauses(c.ID, scoped)...)
	}
	if len(result.findings)+len(result.own) == 0 {
		result.findings = explaining(w.prediction.FindWorking(found), finalizer)
	}
	return result
}

func explaining(findings []stuck.Finding, finalizer string) []stuck.Finding {
	for i := range findings {
		findings[i].Explains = []string{finalizer}
	}
	return findings
}

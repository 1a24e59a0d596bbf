package diagnose

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// knownFinalizers is what the catalog says of the finalizers of an object, so that what force costs
// does not depend on whether a cause was found.
func (w *controllers) knownFinalizers(view *cluster.View, o stuck.Object) map[string]stuck.KnownFinalizer {
	out := map[string]stuck.KnownFinalizer{}
	subject := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: view.APIGroups()}
	for _, finalizer := range slices.Concat(o.SpecFinalizers, o.Finalizers) {
		match := w.catalog.Lookup(finalizer, subject)
		if match.How == catalog.ByConvention || match.OtherType || len(match.Entries) == 0 {
			continue
		}
		e, found := match.Entries[0], controller.Controller{Object: o, Finalizer: finalizer, CatalogMatch: match}
		each := stuck.KnownFinalizer{
			Description: controller.KnownFinalizerText(e),
			RemovedBy:   removedBy(e.Component),
			WaitsFor:    e.WaitsFor,
			IfForced:    kit.CostWithoutController(found),
			Fix:         kit.FollowableCatalogSteps(found),
		}
		out[finalizer] = each
	}
	return out
}

// removedBy says what removes the finalizers of a component: its workloads, where it has any, which need not exist in this cluster.
func removedBy(c catalog.Component) string {
	if len(c.Workloads) > 0 {
		return "usually removed by " + strings.Join(c.Workloads, " or ")
	}
	return "removed by " + c.RemovedBy.Text()
}

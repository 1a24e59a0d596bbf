package diagnose_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What runs outside of the cluster is never gone, whatever is missing in the cluster: its API cannot show it.
func TestHostedControllersAreNeverGone(t *testing.T) {
	for by, wantGone := range map[catalog.Remover]bool{
		catalog.RemovedByWorkload: true, catalog.RemovedByCloud: false, catalog.RemovedByOtherCluster: false,
	} {
		for _, deleting := range []bool{false, true} {
			view := watchState{open: 1, baseline: 1, servers: 1, namespaceDeleting: deleting}.view(t)
			missing := controller.MissingTarget{Description: "the release was uninstalled", Deleted: true}
			if deleting {
				missing.Namespace = "shop"
			}
			w := controller.Controller{
				Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"},
				Finalizer: "example.com/cleanup", Complete: true, MissingTargets: []controller.MissingTarget{missing},
				CatalogMatch: catalog.Match{How: catalog.Exact, Entries: []catalog.Entry{{Component: catalog.Component{RemovedBy: by}}}},
			}
			gone := false
			for _, c := range diagnose.Causes() {
				if c.ByController == nil {
					continue
				}
				for _, f := range c.ByController(view.Scoped(), w) {
					gone = gone || f.Verdict == stuck.ControllerGone
				}
			}
			if gone != wantGone {
				t.Errorf("removed by %s, namespace deleted %t: it is gone: %t", by, deleting, gone)
			}
		}
	}
}

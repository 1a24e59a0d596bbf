package kit

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CostWithoutController is what is left behind without the controller of a finalizer, by
// the catalog, and unknown where that has no entry.
func CostWithoutController(w controller.Controller) stuck.Cost {
	for _, e := range w.CatalogMatch.Entries {
		if w.CatalogMatch.How != catalog.ByConvention && !w.CatalogMatch.OtherType {
			return stuck.Cost{Leaves: e.Leak, Description: e.LeftBehind}
		}
	}
	return stuck.UnknownCost(w.Finalizer)
}

// ControllerName is a candidate by name: only possibly the controller, where the clues
// point at others too.
func ControllerName(w controller.Controller, c controller.Candidate) string {
	if len(w.Candidates) > 1 {
		return fmt.Sprintf("%s, possibly the controller,", c.RefInNamespace())
	}
	return c.RefInNamespace()
}

// SearchEvidence is the evidence of a search that found no workload: what was deleted
// comes first, as it says the most, and the facts come last.
func SearchEvidence(w controller.Controller, proofs ...string) []string {
	var deleted, missing []string
	for _, t := range w.MissingTargets {
		if t.Deleted {
			deleted = append(deleted, t.Description)
		} else {
			missing = append(missing, t.Description)
		}
	}
	return slices.Concat(deleted, proofs, missing, w.Facts)
}

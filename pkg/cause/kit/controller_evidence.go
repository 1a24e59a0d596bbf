package kit

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CostWithoutController is what stays behind without the controller of a finalizer: what the
// catalog says, and unknown where it says nothing.
func CostWithoutController(w controller.Controller) stuck.Cost {
	for _, e := range w.CatalogMatch.Entries {
		if w.CatalogMatch.How != catalog.ByConvention && !w.CatalogMatch.OtherType {
			return stuck.Cost{Leaves: e.Leak, Description: e.LeftBehind}
		}
	}
	return stuck.UnknownCost(w.Finalizer)
}

// ControllerName is a candidate as the controller of the finalizer: no more than it may be,
// where the clues point at others too.
func ControllerName(w controller.Controller, c controller.Candidate) string {
	if len(w.Candidates) > 1 {
		return fmt.Sprintf("%s -n %s, which may be its controller,", c.Ref(), c.Namespace)
	}
	return fmt.Sprintf("its controller %s -n %s", c.Ref(), c.Namespace)
}

// CluesLine are the clues that make a workload the controller.
func CluesLine(w controller.Controller, c controller.Candidate) string {
	is := "is"
	if len(w.Candidates) > 1 {
		is = "may be"
	}
	return fmt.Sprintf("it %s the owner because %s", is, strings.Join(c.Clues, "; "))
}

// LogsCommand prints the logs of a workload; the flags begin with a blank.
func LogsCommand(c controller.Candidate, flags string) string {
	return stuck.Kubectlf(c.Namespace, "logs %s"+flags, c.Ref())
}

// SearchEvidence are the facts and traces of a search that found no workload.
func SearchEvidence(w controller.Controller) []string {
	lines := append([]string{}, w.Facts...)
	for _, t := range w.MissingTargets {
		lines = append(lines, t.Description)
	}
	return lines
}

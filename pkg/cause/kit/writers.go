package kit

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// MayWriteAs reports whether a field manager may be a candidate. Many write the status of a built-in type, such as the agents that
// report on a node: there it has to be the candidate by its name.
func MayWriteAs(manager string, w controller.Controller, c controller.Candidate) bool {
	switch {
	case stuck.IsBuiltInGroup(w.Object.Type.Group):
		return controller.RunsAs(c.Workload, manager)
	case controller.IsGenericManager(manager):
		return !controller.IsManualManager(manager) && len(w.Candidates) == 1
	}
	return !controller.IsManualManager(manager)
}

// HasWrittenSinceDeletion reports whether a candidate may have written the object after its deletion began.
func HasWrittenSinceDeletion(view *cluster.View, w controller.Controller, c controller.Candidate) bool {
	return slices.ContainsFunc(controller.Writers(view, w), func(m cluster.FieldManager) bool {
		return MayWriteAs(m.Name, w, c) && !controller.SetsOtherFinalizer(view, w, m.Name) && m.LastWrite.After(w.Object.DeletionTime)
	})
}

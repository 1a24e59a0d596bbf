package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// resolutionSteps are the steps by which the deletion can go on, and what of the namespace of
// the missing object decides on them: nothing can be created in one that is being deleted.
func resolutionSteps(view *cluster.View, o stuck.Object, finalizer string, need catalog.Need, target stuck.Object) (evidence []string, steps []stuck.Step) {
	recreate := append([]stuck.Step{recreateStep(need, target)}, need.Steps...)
	if target.Namespace == "" {
		return nil, recreate
	}
	switch ns := view.Namespace(target.Namespace); {
	case ns.Absent():
		return []string{fmt.Sprintf("namespace/%s does not exist", target.Namespace)}, recreate
	case !ns.Found():
		return []string{fmt.Sprintf("whether it can be recreated could not be checked: namespace/%s could not be read", target.Namespace)}, need.Steps
	case ns.Value.DeletionTimestamp != nil:
		return []string{fmt.Sprintf("namespace/%s is being deleted, so nothing can be created in it", target.Namespace)}, append(slices.Clone(need.Steps),
			kit.ForceStep(o, "last resort: clean up by hand what is left behind, then remove the finalizer", []string{finalizer}, "--accept-leaks"))
	}
	return nil, recreate
}

func recreateStep(need catalog.Need, target stuck.Object) stuck.Step {
	switch {
	case need.TypeOnly:
		return stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("install the CustomResourceDefinition of %s again, and keep it until the object is deleted", target.Type.Kind)}
	case target.Type.Version == "":
		return stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("install the CustomResourceDefinition of %s again, then recreate %s", target.Type.Kind, target.Ref())}
	case target.Type.IsSecret():
		return stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("recreate %s with the keys and values that it had", target.RefInNamespace())}
	}
	return stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("recreate %s from its manifest or a backup; the controller then finishes", target.RefInNamespace())}
}

// errorNaming is what the controller wrote down about a name, in a condition, a
// sentence of the status or a Warning event.
func errorNaming(view *cluster.View, o stuck.Object, name string) (string, bool) {
	for _, c := range view.Conditions(o).Items {
		if c.Status != "True" && apitext.Quotes(c.Message, name) {
			return fmt.Sprintf("condition %s is %s (%s): %s", c.Type, c.Status, c.Reason, apitext.Shorten(c.Message)), true
		}
	}
	for _, text := range view.StatusTexts(o).Items {
		if apitext.Quotes(text.Text, name) {
			return fmt.Sprintf("%s: %s", text.Field, apitext.Shorten(text.Text)), true
		}
	}
	for _, e := range view.Events(o).Items {
		if e.Type == "Warning" && apitext.Quotes(e.Message, name) {
			return fmt.Sprintf("event %s: %s", e.Reason, apitext.Shorten(e.Message)), true
		}
	}
	return "", false
}

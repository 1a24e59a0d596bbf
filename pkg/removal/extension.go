package removal

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RefuseExtensionTypes refuses the steps of a plan whose objects an extension API server
// stores. It may not support dry runs and carry one out as the write, before the user
// was asked and anything was saved; and once the server is gone, it cannot be
// known whether its objects are deleted. The error is that of a server that does not
// say what it serves.
func (d *Diagnoser) RefuseExtensionTypes(ctx context.Context, plan *Plan) error {
	view, _, err := d.freshView(ctx)
	if err != nil {
		return err
	}
	plan.Steps = slices.DeleteFunc(plan.Steps, func(s Step) bool {
		if !view.ServedByExtension(s.Object.Type) {
			return false
		}
		plan.Refusals = append(plan.Refusals, extensionRefusal(s.Object))
		return true
	})
	return nil
}

func extensionRefusal(o stuck.Object) Refusal {
	return Refusal{
		Object: o,
		Reason: "an extension API server stores it, which may carry out a dry run as a real write",
		Fix:    stuck.Step{Action: stuck.ActionChange, Description: "if that server supports dry runs, remove the finalizers by hand", Command: o.Command("edit")},
	}
}

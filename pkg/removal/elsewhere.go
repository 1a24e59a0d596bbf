package removal

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RefuseElsewhere refuses the steps of a plan whose objects are kept by an
// extension server. It may never have heard of dry runs and take the proof for
// the write, before anybody was asked and anything was saved; and once it is
// gone, nobody can tell whether its objects are. The error is that of a server
// that does not say what it serves.
func (j *Judge) RefuseElsewhere(ctx context.Context, plan *Plan) error {
	see, err := j.fresh(ctx)
	if err != nil {
		return err
	}
	plan.Steps = slices.DeleteFunc(plan.Steps, func(s Step) bool {
		if !see.KeptElsewhere(s.Object.Type) {
			return false
		}
		plan.Refusals = append(plan.Refusals, elsewhere(s.Object))
		return true
	})
	return nil
}

func elsewhere(o stuck.Object) Refusal {
	return Refusal{
		Object: o,
		Why:    "is kept by an extension server, which may take a dry run for a real write",
		Way:    "if that server knows dry runs, take the finalizers off by hand: kubectl edit " + inPlace(o),
	}
}

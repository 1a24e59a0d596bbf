package stuck

import (
	"fmt"
	"strings"
)

// KnownFinalizer is what the catalog says of one finalizer of an object.
type KnownFinalizer struct {
	// Description says in a sentence what it is for.
	Description string
	// RemovedBy says what removes it, as "removed by kube-controller-manager", and WaitsFor what that does first.
	RemovedBy, WaitsFor string
	// IfForced is what is left behind if it is removed by force.
	IfForced Cost
	// Fix are the steps after which its controller removes it.
	Fix []Step
}

// UnknownCost is the cost of finalizers of which nobody knows what they are for. It names the first of many.
func UnknownCost(finalizers ...string) Cost {
	const mostNamed = 3
	names := strings.Join(finalizers, " and ")
	if len(finalizers) > MaxUngrouped {
		names = JoinFirst(finalizers, mostNamed)
	}
	return Cost{Leaves: LeakUnknown, Unexamined: true, Description: fmt.Sprintf("cleanup by the controller of %s is skipped", names)}
}

// useKnownCosts gives the findings whose cost nobody has looked at the cost that the
// catalog knows, where it knows all of the finalizers.
func (d *Diagnosis) useKnownCosts() {
	for i, f := range d.Findings {
		if !f.OnForce.Unexamined || len(f.Explains) == 0 {
			continue
		}
		if known, all := d.knownCost(f.Explains); all {
			d.Findings[i].OnForce = known.WithNote(f.OnForce.Note)
		}
	}
}

// knownCost is the cost of several finalizers as one, by the worst of them, and whether
// the catalog knows all of them.
func (d *Diagnosis) knownCost(finalizers []string) (cost Cost, all bool) {
	var what []string
	for _, name := range finalizers {
		known, ok := d.Known[name]
		if !ok {
			return Cost{}, false
		}
		if cost.Leaves == "" || known.IfForced.Leaves.Rank() > cost.Leaves.Rank() {
			cost.Leaves = known.IfForced.Leaves
		}
		what = append(what, known.IfForced.Description)
	}
	cost.Description = strings.Join(what, "; ")
	return cost, true
}

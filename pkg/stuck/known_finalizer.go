package stuck

import (
	"fmt"
	"strings"
)

// KnownFinalizer is what the catalog says of one finalizer of an object.
type KnownFinalizer struct {
	// Description says in a sentence what it is for.
	Description string
	// IfForced is what stays behind if it is removed by force.
	IfForced Cost
	// Fix are the steps that let it go by itself.
	Fix []Step
}

// UnknownCost is the cost of finalizers of which nobody knows what they are for.
func UnknownCost(finalizers ...string) Cost {
	return Cost{Leak: LeakUnknown, Unexamined: true, What: fmt.Sprintf("whatever the controller of %s would have cleaned up", strings.Join(finalizers, " and "))}
}

// useKnownCosts gives the findings whose cost nobody has looked at the cost that the
// catalog knows, where it knows all of the finalizers.
func (d *Diagnosis) useKnownCosts() {
	for i, f := range d.Findings {
		if !f.IfForced.Unexamined || len(f.Explains) == 0 {
			continue
		}
		if known, all := d.knownCost(f.Explains); all {
			d.Findings[i].IfForced = known.WithNote(f.IfForced.Note)
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
		if cost.Leak == "" || known.IfForced.Leak.Rank() > cost.Leak.Rank() {
			cost.Leak = known.IfForced.Leak
		}
		what = append(what, known.IfForced.What)
	}
	cost.What = strings.Join(what, "; ")
	return cost, true
}

package stuck

import "slices"

// VerdictFor is the verdict on some of an object's finalizers: what would be
// said of the object if it carried no others.
func (d *Diagnosis) VerdictFor(finalizers []string) Verdict {
	verdict := Orphaned
	for _, name := range finalizers {
		verdict = MoreCautious(verdict, d.verdictForFinalizer(name))
	}
	for _, f := range d.Findings {
		// What holds the object as a whole holds each finalizer.
		if f.Verdict != "" && len(f.Explains) == 0 {
			verdict = MoreCautious(verdict, f.Verdict)
		}
	}
	if verdict == Orphaned && len(d.NotRuledOut) > 0 {
		return Unknown
	}
	return verdict
}

func (d *Diagnosis) verdictForFinalizer(finalizer string) Verdict {
	verdict, decided := Orphaned, false
	for _, f := range d.Findings {
		if !slices.Contains(f.Explains, finalizer) {
			continue
		}
		if f.Verdict != "" {
			verdict, decided = MoreCautious(verdict, f.Verdict), true
		}
		for _, o := range f.WaitsFor {
			for _, w := range d.WaitsFor {
				if w.Object.UID == o.UID {
					verdict, decided = MoreCautious(verdict, w.Conclude()), true
				}
			}
		}
	}
	if !decided {
		return Unknown
	}
	return verdict
}

// CostOf is what stays behind if some of the object's finalizers are removed
// by force.
func (d *Diagnosis) CostOf(finalizers []string) []Cost {
	var costs []Cost
	for _, name := range finalizers {
		known := false
		for _, f := range d.Findings {
			if slices.Contains(f.Explains, name) && f.IfForced.What != "" {
				costs, known = append(costs, f.IfForced), true
			}
		}
		if !known {
			costs = append(costs, Cost{Leak: LeakUnknown, What: "whatever the controller of " + name + " would have cleaned up"})
		}
	}
	return costs
}

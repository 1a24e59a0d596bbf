package stuck

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
)

// VerdictFor is the verdict on which some of an object's finalizers may be removed:
// what Conclude would say of the object if it carried no others. A doubt that the
// explanation merely states makes it Unknown, so that a removal asks for consent.
func (d *Diagnosis) VerdictFor(finalizers []string) Verdict {
	narrowed := d.narrowTo(finalizers)
	verdict := narrowed.computeVerdict()
	hasDoubt := slices.ContainsFunc(narrowed.All(), func(w *Diagnosis) bool {
		return slices.ContainsFunc(w.Findings, func(f Finding) bool { return f.Doubt != "" })
	})
	if verdict == ControllerGone && hasDoubt {
		return Unknown
	}
	return verdict
}

// narrowTo is the diagnosis of the object as if it carried these finalizers alone.
// What holds the object as a whole holds each finalizer.
func (d *Diagnosis) narrowTo(finalizers []string) *Diagnosis {
	linked := map[ObjectKey]*Diagnosis{}
	for _, w := range d.WaitsFor {
		linked[w.Object.Key()] = w
	}
	out := &Diagnosis{Object: d.Object, NotRuledOut: d.NotRuledOut}
	explained := map[string]bool{}
	seen := map[*Diagnosis]bool{}
	chosen := sets.New(finalizers...)
	for _, f := range d.Findings {
		if !f.concerns(chosen) {
			continue
		}
		out.Findings = append(out.Findings, f)
		says := !f.IsLink()
		for _, o := range f.WaitsFor {
			w := linked[o.Key()]
			if w == nil {
				continue
			}
			says = true
			if !seen[w] {
				seen[w] = true
				out.WaitsFor = append(out.WaitsFor, w)
			}
		}
		for _, name := range f.Explains {
			explained[name] = explained[name] || says
		}
	}
	for _, name := range finalizers {
		if !explained[name] {
			out.Unexplained = append(out.Unexplained, name)
		}
	}
	return out
}

// CostOf is what is left behind if some of the object's finalizers are removed
// by force: what the findings say, and what the catalog knows where they do not. What
// several causes say in the same words is said once.
func (d *Diagnosis) CostOf(finalizers []string) []Cost {
	var costs []Cost
	said := map[Cost]bool{}
	explaining := FindingsByFinalizer(d.Findings)
	for _, name := range finalizers {
		found := foundCosts(explaining[name])
		known, ok := d.Known[name]
		isVague := !slices.ContainsFunc(found, func(c Cost) bool { return c.Leaves != LeakUnknown })
		switch {
		case ok && isVague && (len(found) == 0 || known.IfForced.Leaves.Rank() > LeakObjects.Rank()):
			found = append(found, known.IfForced)
		case len(found) == 0:
			found = []Cost{UnknownCost(name)}
		}
		for _, cost := range found {
			if !said[cost.printed()] {
				said[cost.printed()] = true
				costs = append(costs, cost)
			}
		}
	}
	return costs
}

// foundCosts are the costs of a finalizer that the findings which account for it name.
func foundCosts(findings []*Finding) []Cost {
	var costs []Cost
	for _, f := range findings {
		if f.OnForce.Description != "" {
			costs = append(costs, f.OnForce)
		}
	}
	return costs
}

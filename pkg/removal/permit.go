package removal

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The flags that get past a refusal.
const (
	FlagOverrideVerdict = "--override-verdict"
	FlagAcceptLeaks     = "--accept-leaks"
	FlagAcceptDataLoss  = "--accept-data-loss"
	FlagStrandContent   = "--strand-content"
)

// permitted says whether a step may be done, and refuses it if not. Each
// refusal names what would get past it.
func (p *planner) permitted(d *stuck.Diagnosis, step *Step) bool {
	ok := true
	need := func(given bool, flag, why, way string) {
		if given {
			step.Overrides = append(step.Overrides, flag)
			return
		}
		ok = false
		p.refuse(d, why, way+flag)
	}
	if step.Verdict != stuck.Orphaned {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, "is "+words(step.Verdict)+reason(d), "fix that first; to remove it all the same, pass ")
	}
	if cost, grave := gravest(step.Costs, stuck.LeakData); grave {
		need(p.consent.AcceptDataLoss, FlagAcceptDataLoss, "would lose data: "+cost.What, "if that is acceptable, pass ")
	}
	if cost, grave := gravest(step.Costs, stuck.LeakExternal, stuck.LeakUnknown); grave {
		need(p.consent.AcceptLeaks, FlagAcceptLeaks, fmt.Sprintf("would leave behind %s: %s", leakWords(cost.Leak), cost.What), "if that is acceptable, pass ")
	}
	if len(step.Spec) > 0 && p.consent.StrandContent {
		step.Overrides = append(step.Overrides, FlagStrandContent)
	}
	return ok
}

func words(v stuck.Verdict) string {
	switch v {
	case stuck.Progressing:
		return "being worked on"
	case stuck.Blocked:
		return "blocked by something that can be fixed"
	}
	return "not fully understood"
}

func reason(d *stuck.Diagnosis) string {
	if len(d.Findings) == 0 {
		return ""
	}
	return ": " + d.Findings[0].Summary
}

func leakWords(l stuck.Leak) string {
	if l == stuck.LeakUnknown {
		return "nobody knows what"
	}
	return string(l)
}

func gravest(costs []stuck.Cost, leaks ...stuck.Leak) (stuck.Cost, bool) {
	for _, c := range costs {
		for _, l := range leaks {
			if c.Leak == l {
				return c, true
			}
		}
	}
	return stuck.Cost{}, false
}

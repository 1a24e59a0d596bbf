package removal

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
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
	if why := p.meant(d, slices.Concat(step.Spec, step.Finalizers)); step.Verdict == stuck.Orphaned && why != "" {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, why, "see what it waits for; to remove it all the same, pass ")
	}
	if cost, ok := gravest(step.Costs, stuck.LeakData); ok {
		need(p.consent.AcceptDataLoss, FlagAcceptDataLoss, "would lose data: "+cost.What, "if that is acceptable, pass ")
	}
	if cost, ok := gravest(step.Costs, stuck.LeakExternal, stuck.LeakUnknown); ok {
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

// grave says whether a leak needs a consent of its own.
func grave(l stuck.Leak) bool {
	return l == stuck.LeakData || l == stuck.LeakExternal || l == stuck.LeakUnknown
}

// meant says what the catalogue knows a finalizer to be for, where that is no
// clean-up that its absent controller still owes: nobody at work is no reason
// to take such a one off. It is empty where all of them are clean-ups.
func (p *planner) meant(d *stuck.Diagnosis, finalizers []string) string {
	t := d.Object.Type
	for _, name := range finalizers {
		match := p.known.Lookup(name, catalog.Subject{Kind: t.Kind, Group: t.Group, Resource: t.Resource})
		for _, e := range match.Entries {
			if purpose, ok := purposes[e.Role]; ok && !match.OtherType {
				return fmt.Sprintf("carries %s, which %s", name, purpose)
			}
		}
	}
	return ""
}

// purposes are the roles of finalizers that are no clean-ups.
var purposes = map[catalog.Role]string{
	catalog.RoleGuard:       "guards it until nothing uses it any more",
	catalog.RoleKeep:        "is meant to stay until a person takes it off, on purpose",
	catalog.RoleIntent:      "is a flag: to remove it reverses what the deletion was asked to do",
	catalog.RoleCredentials: "holds what a controller needs to reach the other side: without it other deletions hang",
}

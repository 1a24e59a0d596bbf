package removal

import (
	"fmt"
	"slices"
	"strings"

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

// permit reports whether a step may be done, and refuses it if not. Each
// refusal names what would get past it.
func (p *planner) permit(d *stuck.Diagnosis, step *Step) bool {
	ok := true
	need := func(given bool, flag, message, fix string) {
		if given {
			step.Overrides = append(step.Overrides, flag)
			return
		}
		ok = false
		p.refuse(d, message, fix+flag)
	}
	if step.Verdict != stuck.Orphaned {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, "is "+verdictText(step.Verdict)+verdictReason(d, step.Verdict),
			firstFix(d, step.Verdict)+"; to remove it all the same, pass ")
	}
	if message := p.retentionReason(d, slices.Concat(step.SpecFinalizers, step.Finalizers)); step.Verdict == stuck.Orphaned && message != "" {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, message, "see what it waits for; to remove it all the same, pass ")
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakData); ok {
		need(p.consent.AcceptDataLoss, FlagAcceptDataLoss, "would lose data: "+cost.What, "if that is acceptable, pass ")
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakExternal, stuck.LeakUnknown); ok {
		need(p.consent.AcceptLeaks, FlagAcceptLeaks, fmt.Sprintf("would leave behind %s: %s", leakText(cost.Leak), cost.What), "if that is acceptable, pass ")
	}
	if len(step.SpecFinalizers) > 0 && p.consent.StrandContent {
		step.Overrides = append(step.Overrides, FlagStrandContent)
	}
	return ok
}

func verdictText(v stuck.Verdict) string {
	switch v {
	case stuck.Progressing:
		return "being worked on"
	case stuck.Blocked:
		return "blocked by something that can be fixed"
	}
	return "not fully understood"
}

// verdictReason is what the verdict comes from, behind a colon.
func verdictReason(d *stuck.Diagnosis, verdict stuck.Verdict) string {
	f, ok := decisiveFinding(d, verdict)
	if !ok {
		return ""
	}
	return ": " + f.Summary
}

// firstFix is what to do about an object rather than to force it.
func firstFix(d *stuck.Diagnosis, verdict stuck.Verdict) string {
	explain := "kubectl finalizers explain " + commandArgs(d.Object)
	switch verdict {
	case stuck.Progressing:
		return "wait for it, and see how far it is: " + explain
	case stuck.Unknown:
		return "see what could not be told: " + explain
	}
	f, ok := decisiveFinding(d, verdict)
	if ok && len(f.Fix) > 0 && f.Fix[0].Command != "" && !strings.Contains(f.Fix[0].Command, "\n") {
		return "fix that first: " + f.Fix[0].Command
	}
	return "fix that first, see how: " + explain
}

// decisiveFinding is the finding that a verdict comes from, the first of several. What
// follows from the objects it waits for comes from none.
func decisiveFinding(d *stuck.Diagnosis, verdict stuck.Verdict) (stuck.Finding, bool) {
	for _, f := range d.Findings {
		if f.Verdict == verdict {
			return f, true
		}
	}
	if len(d.Findings) == 0 {
		return stuck.Finding{}, false
	}
	return d.Findings[0], true
}

// blockingCause is the cause that a verdict Blocked comes from.
func blockingCause(d *stuck.Diagnosis, verdict stuck.Verdict) string {
	if f, ok := decisiveFinding(d, verdict); ok && verdict == stuck.Blocked {
		return f.Cause
	}
	return ""
}

func leakText(l stuck.Leak) string {
	if l == stuck.LeakUnknown {
		return "something unknown"
	}
	return string(l)
}

func firstCost(costs []stuck.Cost, leaks ...stuck.Leak) (stuck.Cost, bool) {
	for _, c := range costs {
		for _, l := range leaks {
			if c.Leak == l {
				return c, true
			}
		}
	}
	return stuck.Cost{}, false
}

// needsConsent reports whether a leak needs a consent of its own.
func needsConsent(l stuck.Leak) bool {
	return l == stuck.LeakData || l == stuck.LeakExternal || l == stuck.LeakUnknown
}

// retentionReason says what the catalogue knows a finalizer to be for, where that is no
// clean-up that its absent controller still owes: nobody at work is no reason
// to take such a one off. It is empty where all of them are clean-ups.
func (p *planner) retentionReason(d *stuck.Diagnosis, finalizers []string) string {
	t := d.Object.Type
	for _, name := range finalizers {
		match := p.catalog.Lookup(name, catalog.Subject{Kind: t.Kind, Group: t.Group, Resource: t.Resource})
		for _, e := range match.Entries {
			if purpose, ok := retentionReasons[e.Role]; ok && !match.OtherType {
				return fmt.Sprintf("carries %s, which %s", name, purpose)
			}
		}
	}
	return ""
}

// retentionReasons are the roles of finalizers that are no clean-ups.
var retentionReasons = map[catalog.Role]string{
	catalog.RoleGuard:       "guards it until nothing uses it any more",
	catalog.RoleKeep:        "is meant to stay until a person takes it off, on purpose",
	catalog.RoleIntent:      "is a flag: to remove it reverses what the deletion was asked to do",
	catalog.RoleCredentials: "holds what a controller needs to reach the other side: without it other deletions hang",
}

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
	need := func(given bool, flag string, r Refusal) {
		if given {
			step.Overrides = append(step.Overrides, flag)
			return
		}
		ok = false
		r.Object, r.Override = d.Object, r.Override+flag
		p.refuse(r)
	}
	const allTheSame, ifAcceptable = "to remove it all the same, pass ", "if that is acceptable, pass "
	if step.Verdict != stuck.ControllerGone {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, verdictRefusal(d, step.Verdict, "is "+verdictText(step.Verdict), allTheSame))
	}
	if reason := p.retentionReason(d, step.allFinalizers()); step.Verdict == stuck.ControllerGone && reason != "" {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, Refusal{Reason: reason, Fix: stuck.Step{Action: stuck.ActionCheck, Description: "see what it waits for"}, Override: allTheSame})
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakData); ok {
		need(p.consent.AcceptDataLoss, FlagAcceptDataLoss, Refusal{Reason: "would lose data: " + cost.Description, Override: ifAcceptable})
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakExternal, stuck.LeakUnknown); ok {
		need(p.consent.AcceptLeaks, FlagAcceptLeaks, Refusal{Reason: fmt.Sprintf("would leave behind %s: %s", cost.Leaves.Text(), cost.Description), Override: ifAcceptable})
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
	if verdict == stuck.Unknown && f.Doubt != "" {
		return ": " + f.Message + ", but " + f.Doubt
	}
	return ": " + f.Message
}

// firstFix is what to do about an object rather than to force it.
func firstFix(d *stuck.Diagnosis, verdict stuck.Verdict) stuck.Step {
	explain := explainCommand(d.Object)
	switch verdict {
	case stuck.Progressing:
		return stuck.Step{Action: stuck.ActionCheck, Description: "wait for it, and see how far it is", Command: explain}
	case stuck.Unknown:
		return stuck.Step{Action: stuck.ActionCheck, Description: "see what could not be told", Command: explain}
	}
	f, ok := decisiveFinding(d, verdict)
	if ok && len(f.Steps) > 0 && f.Steps[0].Command != "" && !strings.Contains(f.Steps[0].Command, "\n") {
		return stuck.Step{Action: stuck.ActionChange, Description: "fix that first", Command: f.Steps[0].Command}
	}
	return stuck.Step{Action: stuck.ActionCheck, Description: "fix that first, see how", Command: explain}
}

// decisiveFinding is the finding that a verdict comes from. Where none says why the
// object is stuck, what merely adds something is all there is to name.
func decisiveFinding(d *stuck.Diagnosis, verdict stuck.Verdict) (stuck.Finding, bool) {
	f, ok := d.FindingFor(verdict)
	if !ok && len(d.Findings) > 0 {
		return d.Findings[0], true
	}
	return f, ok
}

// blockingCause is the cause that a verdict Blocked comes from.
func blockingCause(d *stuck.Diagnosis, verdict stuck.Verdict) string {
	if f, ok := decisiveFinding(d, verdict); ok && verdict == stuck.Blocked {
		return f.Cause
	}
	return ""
}

func firstCost(costs []stuck.Cost, leaks ...stuck.Leak) (stuck.Cost, bool) {
	i := slices.IndexFunc(costs, func(c stuck.Cost) bool { return c.Leaves.IsAny(leaks...) })
	if i < 0 {
		return stuck.Cost{}, false
	}
	return costs[i], true
}

// retentionReason says what the catalog knows a finalizer to be for, where that is no
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

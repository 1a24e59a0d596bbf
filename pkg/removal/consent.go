package removal

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The flags that permit what is refused without them.
const (
	FlagOverrideVerdict = "--override-verdict"
	FlagAcceptLeaks     = "--accept-leaks"
	FlagAcceptDataLoss  = "--accept-data-loss"
	FlagStrandContent   = "--strand-content"
)

// permit reports whether a step may be done, and refuses it if not. Each refusal
// names the flag that permits it.
func (p *planner) permit(d *stuck.Diagnosis, step *Step) bool {
	ok := true
	need := func(given bool, flag string, r Refusal) {
		if given {
			step.Overrides = append(step.Overrides, flag)
			return
		}
		ok = false
		r.Object, r.Override = d.Object, flag
		p.refuse(r)
	}
	if step.Verdict != stuck.ControllerGone {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, verdictRefusal(d, step.Verdict, ""))
	}
	if name, reason := p.retentionReason(d, step.allFinalizers()); step.Verdict == stuck.ControllerGone && reason != "" {
		need(p.consent.OverrideVerdict, FlagOverrideVerdict, Refusal{Reason: reason, Fix: stuck.Step{Action: stuck.ActionCheck, Description: "see what it is for", Command: stuck.Command("", "finalizers", "catalog", name)}})
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakData); ok {
		need(p.consent.AcceptDataLoss, FlagAcceptDataLoss, Refusal{Reason: "data would be lost: " + cost.Description})
	}
	if cost, ok := firstCost(step.Costs, stuck.LeakExternal, stuck.LeakUnknown); ok {
		need(p.consent.AcceptLeaks, FlagAcceptLeaks, Refusal{Reason: fmt.Sprintf("would leave behind %s: %s", cost.Leaves.Text(), cost.Description)})
	}
	if len(step.SpecFinalizers) > 0 && p.consent.StrandContent {
		step.Overrides = append(step.Overrides, FlagStrandContent)
	}
	return ok
}

// verdictReason is what the verdict comes from, behind a colon.
func verdictReason(d *stuck.Diagnosis, verdict stuck.Verdict) string {
	f, ok := decisiveFinding(d, verdict)
	if !ok {
		return ": no cause was found"
	}
	if verdict == stuck.Unknown && f.Doubt != "" {
		return ": " + f.Message + ", but " + f.Doubt
	}
	return ": " + f.Message
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

// retentionReason is a finalizer that the catalog knows not to be a cleanup, and what it
// is for. That its controller is gone is no reason to remove such a one. It is empty
// where all of them are cleanups.
func (p *planner) retentionReason(d *stuck.Diagnosis, finalizers []string) (finalizer, reason string) {
	t := d.Object.Type
	for _, name := range finalizers {
		match := p.catalog.Lookup(name, catalog.Subject{Kind: t.Kind, Group: t.Group, Resource: t.Resource})
		for _, e := range match.Entries {
			if purpose, ok := retentionReasons[e.Role]; ok && !match.OtherType {
				return name, fmt.Sprintf("finalizer %s %s", name, purpose)
			}
		}
	}
	return "", ""
}

// retentionReasons are the roles of finalizers that are not cleanups.
var retentionReasons = map[catalog.Role]string{
	catalog.RoleGuard:       "protects the object until nothing uses it",
	catalog.RoleKeep:        "is meant to stay until a person removes it on purpose",
	catalog.RoleIntent:      "is an instruction: removing it reverses what the deletion was asked to do",
	catalog.RoleCredentials: "protects credentials that a controller needs: without them other deletions get stuck",
}

package removal

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// Refusal is something that is not done, why, and what gets past it.
type Refusal struct {
	Object stuck.Object
	// Reason says why, as it stands behind the name of the object.
	Reason string
	// Fix is what to do about it first.
	Fix stuck.Step
	// Override says how to have it done all the same: it names a flag.
	Override string
	// Culprit is what the verdict that stands against it blames, empty where that
	// is the object itself.
	Culprit stuck.Culprit
}

// Remedy is what gets past the refusal, as one text.
func (r Refusal) Remedy() string {
	text := r.Fix.Description
	if r.Fix.Command != "" {
		text += ": " + r.Fix.Command
	}
	if text != "" && r.Override != "" {
		text += "; "
	}
	return text + r.Override
}

// explainCommand is the command that explains why an object is stuck.
func explainCommand(o stuck.Object) string { return o.Command("finalizers", "explain") }

// verdictRefusal is a refusal because of a verdict: what it comes from stands behind
// the reason.
func verdictRefusal(d *stuck.Diagnosis, verdict stuck.Verdict, reason, override string) Refusal {
	r := Refusal{Object: d.Object, Reason: reason + verdictReason(d, verdict), Fix: firstFix(d, verdict), Override: override}
	if f, ok := decisiveFinding(d, verdict); ok && !f.BlockedBy.Names(d.Object) {
		r.Culprit = f.BlockedBy
	}
	return r
}

func (p *planner) refuse(r Refusal) { p.plan.Refusals = append(p.plan.Refusals, r) }

func (p *planner) skip(o stuck.Object, reason string, fix stuck.Step) {
	p.plan.Skipped = append(p.plan.Skipped, Refusal{Object: o, Reason: reason, Fix: fix})
}

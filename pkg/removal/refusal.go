package removal

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Refusal is something that is not done, why, and what gets past it.
type Refusal struct {
	Object stuck.Object
	// Reason says why, in the words of the cause where the verdict is the reason.
	Reason string
	// Fix is what to do about it first.
	Fix stuck.Step
	// Override is the flag with which it is done all the same, empty if there is none.
	Override string
	// Culprit is what the verdict blames, empty where that is the object itself.
	Culprit stuck.Culprit
}

// explainCommand is the command that explains why an object is stuck.
func explainCommand(o stuck.Object) string { return o.Command("finalizers", "explain") }

// verdictRefusal is a refusal because of a verdict.
func verdictRefusal(d *stuck.Diagnosis, verdict stuck.Verdict, override string) Refusal {
	r := Refusal{Object: d.Object, Reason: string(verdict) + verdictReason(d, verdict), Fix: firstFix(d, verdict), Override: override}
	if f, ok := decisiveFinding(d, verdict); ok && !f.BlockedBy.Names(d.Object) {
		r.Culprit = f.BlockedBy
	}
	return r
}

// firstFix is what to do about an object rather than to force it: the first step of the
// cause that changes something, or else the first that only reads.
func firstFix(d *stuck.Diagnosis, verdict stuck.Verdict) stuck.Step {
	explain := stuck.Step{Action: stuck.ActionCheck, Command: explainCommand(d.Object)}
	f, ok := decisiveFinding(d, verdict)
	switch {
	case verdict == stuck.Progressing:
		explain.Description = "wait, and see how far it is"
		return explain
	case verdict == stuck.Unknown, !ok:
		explain.Description = "see what is known, and what could not be read"
		return explain
	}
	for _, action := range []stuck.Action{stuck.ActionChange, stuck.ActionCheck} {
		if i := slices.IndexFunc(f.Steps, func(s stuck.Step) bool { return s.Action == action }); i >= 0 {
			return inOneLine(f.Steps[i], explain.Command)
		}
	}
	switch {
	case len(f.Steps) > 0: // what they delete may be something that nobody has deleted
		explain.Description = "see the steps, which delete something"
		return explain
	case len(f.Evidence) > 0:
		return stuck.Step{Action: stuck.ActionCheck, Description: "no step is known for this cause; its evidence: " + f.Evidence[0]}
	}
	explain.Description = "see the cause"
	return explain
}

// inOneLine is a step whose command fits in a line, or else the command that shows it.
func inOneLine(s stuck.Step, explain string) stuck.Step {
	if strings.Contains(s.Command, "\n") {
		s.Description, s.Command = s.Description+" (this shows the command)", explain
	}
	return s
}

func (p *planner) refuse(r Refusal) { p.plan.Refusals = append(p.plan.Refusals, r) }

func (p *planner) skip(o stuck.Object, reason string, fix stuck.Step) {
	p.plan.Skipped = append(p.plan.Skipped, Refusal{Object: o, Reason: reason, Fix: fix})
}

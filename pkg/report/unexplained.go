package report

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// reason is finalizers of a group that nothing explains, and what is known of their
// controllers.
type reason struct {
	unexplained []string
	controllers []stuck.Controller
	known       controllerKnowledge
}

// unexplainedReasons are the finalizers that nothing explains, those together of whose
// controllers as much is known.
func unexplainedReasons(g stuck.Group) []reason {
	var out []reason
	byFinalizer := map[string][]stuck.Controller{}
	for _, c := range g.First().Controllers {
		byFinalizer[c.Finalizer] = append(byFinalizer[c.Finalizer], c)
	}
	for _, finalizer := range g.First().Unexplained {
		controllers := byFinalizer[finalizer]
		known := knownController(controllers)
		i := slices.IndexFunc(out, func(r reason) bool { return r.known == known })
		if i < 0 {
			i, out = len(out), append(out, reason{known: known})
		}
		out[i].unexplained, out[i].controllers = append(out[i].unexplained, finalizer), append(out[i].controllers, controllers...)
	}
	return out
}

// unexplainedBlocks are the blocks of the finalizers that nothing explains.
func unexplainedBlocks(g stuck.Group) []*causeBlock {
	var out []*causeBlock
	for _, r := range unexplainedReasons(g) {
		part := causePart{group: g, finalizers: r.unexplained, controllers: r.controllers}
		part.evidence, part.steps = part.controllerEvidence(), part.unexplainedSteps()
		part.costs, part.unknown = part.knownCosts()
		out = append(out, &causeBlock{parts: []causePart{part}})
	}
	return out
}

// unexplainedText says what is known of finalizers that no cause explains.
func (c *causeBlock) unexplainedText() string {
	var finalizers []string
	for _, p := range c.parts {
		finalizers = append(finalizers, p.finalizers...)
	}
	finalizers = distinct(finalizers)
	noun, status := "finalizer ", controllerStatus(c.parts[0].controllers)
	if len(finalizers) > 1 {
		noun = "finalizers "
	}
	if len(finalizers) > stuck.MaxUngrouped && knownController(c.parts[0].controllers) == (controllerKnowledge{}) {
		status = "whose controllers are not known"
	}
	return "no cause was found for " + noun + joinFinalizers(finalizers) + ", " + status
}

func (p causePart) controllerEvidence() []string {
	var lines []string
	hasRivals := len(possibleWorkloads(p.controllers)) > 1
	for _, c := range p.controllers {
		prefix := ""
		if len(p.finalizers) > 1 {
			prefix = c.Finalizer + ": "
		}
		for _, line := range slices.Concat(c.Health, c.ClueTexts(hasRivals)) {
			lines = append(lines, prefix+line)
		}
		if known, ok := p.group.First().Known[c.Finalizer]; ok && !slices.Contains(c.Clues, known.Description) {
			lines = append(lines, prefix+known.Description)
		}
	}
	return lines
}

// unexplainedSteps are to read the logs of the controller, if it is known, and what the
// catalog knows besides. Of a finalizer of which nothing is known, who set it is all that
// can be found out.
func (p causePart) unexplainedSteps() []partStep {
	known := p.knownSteps()
	if workloads := possibleWorkloads(p.controllers); len(workloads) > 0 {
		return append(logsSteps(workloads), slices.DeleteFunc(known, func(s partStep) bool { return s.ReadsLogs })...)
	}
	if len(known) > 0 || slices.ContainsFunc(p.controllers, func(c stuck.Controller) bool { return c.Project != "" }) {
		return known // of a project that is known, no more is known
	}
	o := p.group.First().Object
	return []partStep{{
		Step: stuck.Step{
			Action:      stuck.ActionCheck,
			Description: "find the software that uses " + joinFinalizers(p.finalizers) + ": who wrote the object, and when",
			Command:     stuck.ReadCommand(o.Type, o.Namespace, o.Type.String(), o.Name),
		},
		others: len(p.group) - 1, template: "find the software",
	}}
}

// knownSteps are the steps that the catalog has for the finalizers.
func (p causePart) knownSteps() []partStep {
	var out []partStep
	for _, name := range p.finalizers {
		for _, s := range p.group.First().Known[name].Fix {
			if !slices.ContainsFunc(out, func(seen partStep) bool { return seen.Step == s }) {
				out = append(out, partStep{Step: s, others: countOthers(p.group, func(d *stuck.Diagnosis) bool { return slices.Contains(d.Known[name].Fix, s) })})
			}
		}
	}
	return out
}

// knownCosts are what the catalog knows that force costs of finalizers that no cause explains, and the
// finalizers of which it knows nothing.
func (p causePart) knownCosts() (costs []stuck.Cost, unknown []string) {
	for _, name := range p.finalizers {
		known, ok := p.group.First().Known[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		costs = append(costs, costForAll(p.group, known.IfForced, func(d *stuck.Diagnosis) bool { return d.Known[name].IfForced == known.IfForced }))
	}
	return costs, unknown
}

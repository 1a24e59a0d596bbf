package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// reason is finalizers of a group that nothing explains, and what is known of their
// controllers.
type reason struct {
	unexplained []string
	controllers []stuck.Controller
}

// unexplainedReasons are the finalizers that nothing explains, those together of whose
// controllers as much is known.
func unexplainedReasons(g stuck.Group) []reason {
	var out []reason
	for _, finalizer := range g.First().Unexplained {
		var controllers []stuck.Controller
		for _, c := range g.First().Controllers {
			if c.Finalizer == finalizer {
				controllers = append(controllers, c)
			}
		}
		i := slices.IndexFunc(out, func(r reason) bool { return knownController(r.controllers) == knownController(controllers) })
		if i < 0 {
			i, out = len(out), append(out, reason{})
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

// controllerKnowledge is what is known of who should remove a finalizer that no cause
// explains: what runs it, or else only the project, or nothing.
type controllerKnowledge struct {
	workload stuck.Culprit
	running  bool
	project  string
}

// knownController is what the first of the controllers says of which anything is known.
func knownController(controllers []stuck.Controller) controllerKnowledge {
	for _, c := range controllers {
		if c.Workload != nil {
			return controllerKnowledge{workload: *c.Workload, running: c.Running == stuck.Running}
		}
		if c.Project != "" {
			return controllerKnowledge{project: c.Project}
		}
	}
	return controllerKnowledge{}
}

// controllerStatus says who should remove finalizers that no cause explains, behind their
// names.
func controllerStatus(controllers []stuck.Controller) string {
	switch known := knownController(controllers); {
	case known.running:
		return fmt.Sprintf("which its controller %s has not removed, although it is running", known.workload)
	case known.workload != stuck.Culprit{}:
		return fmt.Sprintf("whose controller is probably %s", known.workload)
	case known.project != "":
		return "which belongs to " + known.project
	}
	return "whose controller is not known"
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
	for _, c := range p.controllers {
		prefix := ""
		if len(p.controllers) > 1 {
			prefix = c.Finalizer + ": "
		}
		for _, line := range slices.Concat(c.Health, c.ClueTexts()) {
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
	for _, c := range p.controllers {
		if c.Workload != nil {
			logs := stuck.Step{
				Action:      stuck.ActionCheck,
				Description: "read the logs of the controller",
				Command:     c.LogsCommand,
			}
			return append([]partStep{{Step: logs}}, slices.DeleteFunc(known, func(s partStep) bool { return s.ReadsLogs })...)
		}
	}
	if len(known) > 0 || slices.ContainsFunc(p.controllers, func(c stuck.Controller) bool { return c.Project != "" }) {
		return known // of a project that is known, no more is known
	}
	o := p.group.First().Object
	return []partStep{{
		Step: stuck.Step{
			Action:      stuck.ActionCheck,
			Description: "find the software that uses " + strings.Join(p.finalizers, " and ") + ": who wrote the object, and when",
			Command:     stuck.Kubectlf(o.Namespace, "get %s %s -o yaml --show-managed-fields", o.Type, o.Name),
		},
		others: len(p.group) - 1, isGeneral: true,
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

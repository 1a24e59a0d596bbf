package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// reason is the end of a chain: a finding, or finalizers that nothing
// explains, with the objects for which it holds.
type reason struct {
	group   stuck.Group
	finding *stuck.Finding
	// forcedCosts is what force costs, by each of the findings that are told as one.
	forcedCosts []stuck.Cost
	// unexplained are finalizers that no finding explains, and owners is what is
	// known of their controllers.
	unexplained []string
	controllers []stuck.Controller
}

// reasonsOf are the ends of all chains that begin at root. Findings that only
// say what is waited for are links, and stand in the tree; those that have more
// to say come too.
func reasonsOf(root *stuck.Diagnosis) []reason {
	var out []reason
	for _, g := range stuck.GroupSimilar(root.All()) {
		for _, r := range mergeFindings(g) {
			if !r.finding.IsLink() || len(r.finding.Evidence) > 0 {
				out = append(out, r)
			}
		}
		out = append(out, unexplainedReasons(g)...)
	}
	// What can be fixed is what the reader came for, and what is certain comes
	// first: a dead webhook before what is merely likely of an object behind it.
	slices.SortStableFunc(out, func(a, b reason) int {
		return cmp.Or(b.verdictRank()-a.verdictRank(), b.certaintyRank()-a.certaintyRank())
	})
	return out
}

// unexplainedReasons are the finalizers that nothing explains, those together of whose
// controllers as much is known.
func unexplainedReasons(g stuck.Group) []reason {
	var out []reason
	for _, finalizer := range g.First().Unexplained {
		var controllers []stuck.Controller
		for _, o := range g.First().Controllers {
			if o.Finalizer == finalizer {
				controllers = append(controllers, o)
			}
		}
		i := slices.IndexFunc(out, func(r reason) bool { return knownController(r.controllers) == knownController(controllers) })
		if i < 0 {
			i, out = len(out), append(out, reason{group: g})
		}
		out[i].unexplained, out[i].controllers = append(out[i].unexplained, finalizer), append(out[i].controllers, controllers...)
	}
	return out
}

func (r reason) certaintyRank() int {
	if r.finding != nil && r.finding.Certainty == stuck.Confirmed {
		return 1
	}
	return 0
}

func (r reason) verdictRank() int {
	switch {
	case r.finding == nil:
		return 1
	case r.finding.Verdict == stuck.Blocked:
		return 3
	case r.finding.IsLink():
		return 0
	}
	return 2
}

// isCause reports whether the reason is one that was found, rather than a link or
// something that is not known.
func (r reason) isCause() bool { return r.finding != nil && !r.finding.IsLink() }

// forAll says of a text that, if it or what goes with it names the object
// that stands for many, it goes for the others too.
func (r reason) forAll(text, with string) string {
	if others := len(r.group) - 1; others > 0 && strings.Contains(text+" "+with+" ", r.group.First().Object.Name+" ") {
		return fmt.Sprintf("%s (and so for the %d others)", text, others)
	}
	return text
}

// steps are what to do about it.
func (r reason) steps() []stuck.Step {
	if r.finding != nil {
		steps := slices.Clone(r.finding.Steps)
		for i, s := range steps {
			steps[i].Description = r.forAll(s.Description, s.Command)
		}
		return steps
	}
	known := r.knownSteps()
	for _, o := range r.controllers {
		if o.Workload != nil {
			return append([]stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "see what its controller says",
				Command:     stuck.Kubectlf(o.Workload.Namespace, "logs %s", strings.ToLower(o.Workload.Kind)+"/"+o.Workload.Name),
			}}, slices.DeleteFunc(known, func(s stuck.Step) bool { return strings.Contains(s.Command, " logs ") })...)
		}
	}
	if len(known) > 0 {
		return known
	}
	if slices.ContainsFunc(r.controllers, func(o stuck.Controller) bool { return o.Project != "" }) {
		return nil // whose it is, is known; where that runs, is not
	}
	o := r.group.First().Object
	return []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "find the software that uses " + strings.Join(r.unexplained, " and ") + ": who wrote the object, and when",
		Command:     stuck.Kubectlf(o.Namespace, "get %s %s -o yaml --show-managed-fields", o.Type, o.Name),
	}}
}

func (r reason) headline(root *stuck.Diagnosis) string {
	subject := r.group.String()
	if r.finding == nil {
		verb := "waits"
		if len(r.group) > 1 {
			verb = "wait"
		}
		names := strings.Join(r.unexplained, " and ")
		return fmt.Sprintf("%s %s for finalizer %s, %s", subject, verb, names, controllerStatus(r.controllers))
	}
	likely := ""
	if r.finding.Certainty == stuck.Likely {
		likely = " (likely)"
	}
	about := r.finalizersText()
	if r.group.First() != root {
		about = strings.TrimSpace(subject + " " + about)
	}
	if about != "" {
		about += ": "
	}
	return about + r.finding.Message + likely
}

func (r reason) evidence() []string {
	if r.finding != nil {
		return r.finding.Evidence
	}
	var lines []string
	for _, o := range r.controllers {
		prefix := ""
		if len(r.controllers) > 1 {
			prefix = o.Finalizer + ": "
		}
		for _, line := range o.Health {
			lines = append(lines, prefix+line)
		}
		for _, clue := range o.Clues {
			lines = append(lines, prefix+clue)
		}
		if known, ok := r.group.First().Known[o.Finalizer]; ok && !slices.Contains(o.Clues, known.Description) {
			lines = append(lines, prefix+known.Description)
		}
	}
	return lines
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
	for _, o := range controllers {
		if o.Workload != nil {
			return controllerKnowledge{workload: *o.Workload, running: o.Running == stuck.Running}
		}
		if o.Project != "" {
			return controllerKnowledge{project: o.Project}
		}
	}
	return controllerKnowledge{}
}

// controllerStatus says who should take finalizers off that no cause explains.
func controllerStatus(controllers []stuck.Controller) string {
	known := knownController(controllers)
	switch {
	case known.running:
		return fmt.Sprintf("and its controller %s runs, and has not taken it off", known.workload)
	case known.workload != stuck.Culprit{}:
		return fmt.Sprintf("and its controller seems to be %s", known.workload)
	case known.project != "":
		return "which belongs to " + known.project
	}
	return "whose controller is not known"
}

func (r reason) costs() []stuck.Cost {
	if r.finding == nil {
		return r.unexplainedCosts()
	}
	out := slices.Clone(r.forcedCosts)
	for i := range out {
		out[i].Description = r.forAll(out[i].Description, "")
	}
	return out
}

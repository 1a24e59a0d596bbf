package controller

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Alive reports whether any candidate runs: yes if one does, no if none of them
// does, unknown if there is none or it could not be seen.
func (o Controller) Alive(view *cluster.View) stuck.RunState {
	alive := stuck.RunStateUnknown
	for _, c := range o.Candidates {
		switch CheckHealth(view, c.Workload).Alive {
		case stuck.Running:
			return stuck.Running
		case stuck.NotRunning:
			alive = stuck.NotRunning
		case stuck.RunStateUnknown:
			return stuck.RunStateUnknown
		}
	}
	return alive
}

// Document is the controller as it is printed: an entry for each candidate, or one
// that has none.
func (o Controller) Document(view *cluster.View) []stuck.Controller {
	if len(o.Candidates) == 0 {
		return []stuck.Controller{{
			Finalizer: o.Finalizer, Project: o.project(), Clues: o.evidence(), Running: stuck.RunStateUnknown, Health: []string{},
		}}
	}
	var out []stuck.Controller
	slow, state := slowCleanupLines(view, o), ReportedState(view, o)
	for _, c := range o.Candidates {
		health := CheckHealth(view, c.Workload)
		culprit := c.Culprit()
		doc := stuck.Controller{
			Finalizer: o.Finalizer, Project: o.project(), Workload: &culprit, Certainty: stuck.Likely,
			Clues: c.Clues, LogsCommand: c.LogsCommand(), Running: health.Alive, Health: slices.Concat(slow, state, health.Evidence),
		}
		leads, _ := Leaderships(view, c.Workload)
		for _, l := range leads {
			doc.Health = append(doc.Health, l.Description)
		}
		out = append(out, doc)
	}
	return out
}

// ClueTexts are the clues that make a workload the controller, as sentences.
func (o Controller) ClueTexts(c Candidate) []string {
	is := "is"
	if len(o.Candidates) > 1 {
		is = "may be"
	}
	var lines []string
	name := c.Ref()
	if slices.ContainsFunc(o.Candidates, func(other Candidate) bool { return other.Ref() == c.Ref() && other.Namespace != c.Namespace }) {
		name = c.RefInNamespace()
	}
	for _, clue := range c.Clues {
		lines = append(lines, fmt.Sprintf("%s %s the controller: it %s", name, is, clue))
	}
	return lines
}

func (o Controller) project() string {
	for _, e := range o.CatalogMatch.Entries {
		if o.CatalogMatch.How != catalog.ByConvention && !isOfKubernetesElsewhere(o.CatalogMatch, e) {
			return e.Project
		}
	}
	return ""
}

// evidence is all that was found where no workload was.
func (o Controller) evidence() []string {
	lines := slices.Concat(o.NamingFacts, o.Facts)
	for _, t := range o.MissingTargets {
		lines = append(lines, t.Description)
	}
	for _, other := range o.OtherActors {
		lines = append(lines, "possible controller: "+other.Description)
	}
	return lines
}

package kit

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CatalogSteps are the catalog's steps that can be followed here, or one that always
// holds.
func CatalogSteps(w controller.Controller, fallback string) []stuck.Step {
	steps := FollowableCatalogSteps(w)
	if len(steps) == 0 {
		steps = []stuck.Step{{Action: stuck.ActionChange, Description: fallback}}
	}
	return steps
}

// FollowableCatalogSteps are the catalog's steps that can be followed here, none where all of them read the logs of
// what was not found.
func FollowableCatalogSteps(w controller.Controller) []stuck.Step {
	var steps []stuck.Step
	for _, step := range w.CatalogMatch.Resolution(w.Object.Namespace, w.Object.Name) {
		if isFollowable(w, step) {
			steps = append(steps, step)
		}
	}
	return steps
}

// serverClients are programs that ask the server of their project, and can do nothing where nothing of the
// project was found.
var serverClients = []string{"argocd", "tridentctl", "virtctl"}

// isFollowable reports whether what a step's command is about can be there: no log can be
// read where no workload was found, and nothing can be done to a workload of
// the catalog's that was looked for and not found.
func isFollowable(w controller.Controller, step stuck.Step) bool {
	if len(w.Candidates) == 0 && step.ReadsLogs {
		return false
	}
	if !w.Complete {
		return true
	}
	if client, _, _ := strings.Cut(step.Command, " "); len(w.Candidates)+len(w.OtherComponents) == 0 && slices.Contains(serverClients, client) {
		return false
	}
	for _, e := range w.CatalogMatch.Entries {
		for _, workload := range e.Component.Workloads {
			_, name, _ := strings.Cut(workload, "/")
			found := slices.ContainsFunc(w.Candidates, func(c controller.Candidate) bool { return c.Name == name })
			if !found && slices.Contains(strings.FieldsFunc(step.Command, isWordEnd), name) {
				return false
			}
		}
	}
	return true
}

// isWordEnd reports whether a character stands between the names of a command.
func isWordEnd(r rune) bool { return r == ' ' || r == '/' || r == '|' }

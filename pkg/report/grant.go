package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// grant is what an administrator would run so that what was forbidden can be
// read, nothing where nothing was.
//
// A right to list Secrets is a right to read them, so it is never asked for.
func grant(gaps []stuck.Gap) []string {
	resources, paths := map[string]bool{}, map[string]bool{}
	verbs := "get,list"
	for _, gap := range gaps {
		if gap.Needs != nil && gap.Needs.Verb == "watch" {
			verbs = "get,list,watch"
		}
		switch {
		case gap.Needs == nil || gap.Needs.Group == "" && gap.Needs.Resource == "secrets":
		case gap.Needs.Path != "":
			paths[gap.Needs.Path] = true
		case gap.Needs.Group == "":
			resources[gap.Needs.Resource] = true
		default:
			resources[gap.Needs.Resource+"."+gap.Needs.Group] = true
		}
	}
	var lines []string
	if len(resources) > 0 {
		lines = append(lines, "  kubectl create clusterrole finalizers-reader --verb="+verbs+" --resource="+joined(resources))
	}
	if len(paths) > 0 {
		lines = append(lines, "  kubectl create clusterrole finalizers-metrics-reader --verb=get --non-resource-url="+joined(paths))
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"an administrator allows it by creating, and binding to you"}, lines...)
}

func joined(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ",") }

package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// rbacLines is what an administrator would run so that what was forbidden can be
// read, nothing where nothing was.
//
// A right to list Secrets is a right to read them, so it is never asked for.
func rbacLines(gaps []stuck.Gap) []string {
	resources, paths := map[string]bool{}, map[string]bool{}
	verbs := "get,list"
	for _, gap := range gaps {
		if gap.MissingPermission != nil && gap.MissingPermission.Verb == "watch" {
			verbs = "get,list,watch"
		}
		switch {
		case gap.MissingPermission == nil || gap.MissingPermission.Group == "" && gap.MissingPermission.Resource == "secrets":
		case gap.MissingPermission.Path != "":
			paths[gap.MissingPermission.Path] = true
		case gap.MissingPermission.Group == "":
			resources[gap.MissingPermission.Resource] = true
		default:
			resources[gap.MissingPermission.Resource+"."+gap.MissingPermission.Group] = true
		}
	}
	var lines []string
	if len(resources) > 0 {
		lines = append(lines, "  "+stuck.Command("", "create", "clusterrole", "finalizers-reader", "--verb="+verbs, "--resource="+joinSorted(resources)))
	}
	if len(paths) > 0 {
		lines = append(lines, "  "+stuck.Command("", "create", "clusterrole", "finalizers-metrics-reader", "--verb=get", "--non-resource-url="+joinSorted(paths)))
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"an administrator allows it by creating, and binding to you"}, lines...)
}

func joinSorted(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ",") }

package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// rbacLines is what an administrator would run so that what was forbidden can be
// read, nothing where nothing was.
func rbacLines(gaps []stuck.Gap) []string {
	roles := missingRoles(gaps)
	if len(roles) == 0 {
		return nil
	}
	lines := []string{"an administrator allows it by creating, and binding to you"}
	for _, role := range roles {
		lines = append(lines, "  "+role.create())
	}
	return lines
}

// grantCommands create the roles that permit to read what was forbidden, and bind them to a user.
func grantCommands(gaps []stuck.Gap) []string {
	var commands []string
	for _, role := range missingRoles(gaps) {
		commands = append(commands, role.create(), reconcileCommand("clusterrolebinding", role.name, "--clusterrole="+role.name, "--user=USER"))
	}
	return commands
}

// missingRole is a ClusterRole that would permit to read what was forbidden.
type missingRole struct {
	name  string
	rules []string
}

func (r missingRole) create() string {
	return reconcileCommand(slices.Concat([]string{"clusterrole", r.name}, r.rules)...)
}

// reconcileCommand creates a role or a binding, or adds to the one of that name: it was
// created for what was forbidden before, or for another user.
func reconcileCommand(args ...string) string {
	return stuck.Command("", slices.Concat([]string{"create"}, args, []string{"--dry-run=client", "-o", "yaml"})...) + " | kubectl auth reconcile -f -"
}

// missingRoles are the roles that would permit to read what was forbidden: one for resources,
// and one for paths, whose verbs are others.
//
// A right to list Secrets is a right to read them, so it is never asked for.
func missingRoles(gaps []stuck.Gap) []missingRole {
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
	var roles []missingRole
	if len(resources) > 0 {
		roles = append(roles, missingRole{"finalizers-reader", []string{"--verb=" + verbs, "--resource=" + joinSorted(resources)}})
	}
	if len(paths) > 0 {
		roles = append(roles, missingRole{"finalizers-metrics-reader", []string{"--verb=get", "--non-resource-url=" + joinSorted(paths)}})
	}
	return roles
}

func joinSorted(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ",") }

package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// quotedForbidden is the permission that the ServiceAccount of a controller lacks, by the errors that the controller reports.
func quotedForbidden(reported []kit.ReportedError, c controller.Candidate) (apitext.Forbidden, bool) {
	for _, r := range reported {
		f, ok := apitext.QuotedForbidden(r.Text)
		if ok && f.AccountNamespace == c.Namespace && f.Account == c.ServiceAccountName() {
			return f, true
		}
	}
	return apitext.Forbidden{}, false
}

// forbiddenText says what a controller may not do.
func forbiddenText(f apitext.Forbidden) string {
	return fmt.Sprintf("no permission to %s %s%s", f.Verb, f.Resource, stuck.InNamespace(f.Namespace))
}

// grantSteps are how to see whether the permission is still lacking, since the error may be old, and how to give it, to this
// ServiceAccount alone.
func grantSteps(view *cluster.View, f apitext.Forbidden) []stuck.Step {
	role := f.Account + "-may-" + f.Verb + "-" + strings.NewReplacer("/", "-", ".", "-").Replace(f.Resource)
	account := f.AccountNamespace + ":" + f.Account
	binding, why := stuck.Kubectlf(f.Namespace, "create rolebinding %s --clusterrole=%s --serviceaccount=%s", role, role, account), ""
	if f.Namespace == "" || kit.IsTerminatingNamespaceNamed(view, f.Namespace) {
		binding = stuck.Shellf("kubectl create clusterrolebinding %s --clusterrole=%s --serviceaccount=%s", role, role, account)
	}
	if f.Namespace != "" && kit.IsTerminatingNamespaceNamed(view, f.Namespace) {
		why = " (no RoleBinding can be created in a namespace that is being deleted)"
	}
	canI := []any{f.Verb, f.Resource, account}
	return []stuck.Step{
		{
			Action: stuck.ActionCheck, Description: "see whether the permission is still missing",
			Command: stuck.Kubectlf(f.Namespace, "auth can-i %s %s --as=system:serviceaccount:%s", canI...),
		},
		{
			Action: stuck.ActionChange, Description: "grant the permission" + why + "; the controller then retries",
			Command: stuck.Shellf("kubectl create clusterrole %s --verb=%s --resource=%s", role, f.Verb, f.Resource) + " && " + binding,
		},
	}
}

// addForbidden puts in front what permission the controller lacks.
func addForbidden(view *cluster.View, finding *stuck.Finding, f apitext.Forbidden) {
	finding.Message += ": " + forbiddenText(f)
	finding.Steps = slices.Concat(grantSteps(view, f), finding.Steps[:1])
}

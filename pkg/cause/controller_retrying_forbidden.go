package cause

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

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

// resourceOf is the resource, with its subresource, as roles name it.
func resourceOf(f apitext.Forbidden) string {
	if f.Subresource == "" {
		return f.Resource
	}
	return f.Resource + "/" + f.Subresource
}

// grantSteps are how to see whether the permission is still missing, since the error may be old, and how to grant it, to this
// ServiceAccount alone.
func grantSteps(f apitext.Forbidden, namespaceDeleting bool) []stuck.Step {
	canI := stuck.Kubectlf(f.Namespace, "auth can-i %s %s --as=system:serviceaccount:%s:%s", f.Verb, f.Resource, f.AccountNamespace, f.Account)
	if f.Subresource != "" {
		canI += " " + stuck.Shellf("--subresource=%s", f.Subresource)
	}
	steps := []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether the permission is still missing", Command: canI}}
	if !isGrantable(f) {
		return steps
	}
	grant := "if the controller is meant to have this permission, grant it"
	if namespaceDeleting {
		grant += " (no RoleBinding can be created in a namespace that is being deleted)"
	}
	return append(steps, stuck.Step{Action: stuck.ActionChange, Description: grant + "; the controller then retries", Command: grantCommand(f, f.Namespace != "" && !namespaceDeleting)})
}

// isGrantable reports whether a permission is one to print a command for. Whoever may write the status of the object wrote
// the error: no text there may ask for permissions by which others can be had.
func isGrantable(f apitext.Forbidden) bool {
	resource, group, _ := strings.Cut(f.Resource, ".")
	return slices.Contains([]string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}, f.Verb) &&
		!slices.Contains([]string{rbacv1.GroupName, "authentication.k8s.io", "certificates.k8s.io"}, group) &&
		!slices.Contains([]string{"serviceaccounts", "nodes"}, resource) &&
		!slices.Contains([]string{"exec", "attach", "proxy", "ephemeralcontainers"}, f.Subresource) &&
		(resource != "secrets" || f.Namespace != "")
}

// grantCommand creates a role with one permission and binds it, in the namespace or in all.
func grantCommand(f apitext.Forbidden, inNamespace bool) string {
	role := f.Account + "-may-" + f.Verb + "-" + strings.NewReplacer("/", "-", ".", "-").Replace(resourceOf(f))
	create := stuck.Shellf("kubectl create clusterrole %s --verb=%s --resource=%s", role, f.Verb, resourceOf(f))
	namespace, binding := "", "clusterrolebinding"
	if inNamespace {
		namespace, binding = f.Namespace, "rolebinding"
	}
	return create + " && " + stuck.Kubectlf(namespace, "create "+binding+" %s --clusterrole=%s --serviceaccount=%s:%s", role, role, f.AccountNamespace, f.Account)
}

// addForbidden puts in front what permission the controller lacks.
func addForbidden(view *cluster.View, finding *stuck.Finding, f apitext.Forbidden) {
	finding.Message += fmt.Sprintf(": no permission to %s %s%s", f.Verb, resourceOf(f), stuck.InNamespace(f.Namespace))
	finding.Steps = slices.Concat(grantSteps(f, f.Namespace != "" && kit.IsTerminatingNamespaceNamed(view, f.Namespace)), finding.Steps[:1])
}

package controller

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// MayWriteOutside reports whether the account of a workload may be allowed to update objects that
// are in none of some namespaces. Roles that cannot be read may allow it.
func MayWriteOutside(view *cluster.View, w cluster.Workload, namespaces map[string]bool) bool {
	everywhere := view.Bindings("")
	clusterRoles := cluster.ReadList[rbacv1.ClusterRole](view, cluster.ClusterRoleType, cluster.Selection{})
	roles := cluster.ReadList[rbacv1.Role](view, cluster.RoleType, cluster.Selection{})
	bindings := cluster.ReadList[rbacv1.RoleBinding](view, cluster.RoleBindingType, cluster.Selection{})
	if !everywhere.Complete || !clusterRoles.Complete || !roles.Complete || !bindings.Complete {
		return true
	}
	rulesOf := func(b rbacv1.RoleBinding) (rules []rbacv1.PolicyRule) {
		for _, r := range clusterRoles.Items {
			if b.RoleRef.Kind == "ClusterRole" && b.RoleRef.Name == r.Name {
				rules = r.Rules
			}
		}
		for _, r := range roles.Items {
			if b.RoleRef.Kind == "Role" && b.RoleRef.Name == r.Name && b.Namespace == r.Namespace {
				rules = r.Rules
			}
		}
		return rules
	}
	writes := func(r rbacv1.PolicyRule) bool {
		return containsOrWildcard(r.Verbs, "update") || containsOrWildcard(r.Verbs, "patch")
	}
	return slices.ContainsFunc(everywhere.Items, func(b cluster.Binding) bool {
		return bindsAccountOf(b, w) && slices.ContainsFunc(b.Rules, writes)
	}) || slices.ContainsFunc(bindings.Items, func(b rbacv1.RoleBinding) bool {
		return !namespaces[b.Namespace] && bindsAccountOf(cluster.Binding{Namespace: b.Namespace, Subjects: b.Subjects}, w) && slices.ContainsFunc(rulesOf(b), writes)
	})
}

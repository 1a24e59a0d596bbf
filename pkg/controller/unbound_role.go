package controller

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// UnboundRole is the one ClusterRole that allows all that a workload needs on the object of a controller and that no binding refers to
// which would hold for the object: what is left of a controller's permissions when its binding was deleted. It is empty where there is none, or
// more than one.
func UnboundRole(view *cluster.View, w cluster.Workload, c Controller) string {
	if stuck.IsBuiltInGroup(c.Object.Type.Group) {
		return "" // many roles allow to write these types
	}
	bindings := view.Bindings(c.Object.Namespace)
	roles := cluster.ReadList[rbacv1.ClusterRole](view, cluster.ClusterRoleType, cluster.Selection{})
	if !bindings.Complete || !roles.Complete {
		return ""
	}
	var names []string
	for _, r := range roles.Items {
		bound := slices.ContainsFunc(bindings.Items, func(b cluster.Binding) bool { return b.Role == r.Name })
		if !bound && !isOfKubernetes(r) && !isAggregated(r, roles.Items) && allowsController(r.Rules, c.Object, neededVerbs(w, c)) {
			names = append(names, r.Name)
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// allowsController reports whether rules allow one of each verbs that a controller needs on an object, and are not about all types: those that
// are belong to people.
func allowsController(rules []rbacv1.PolicyRule, o stuck.Object, needed [][]string) bool {
	role := cluster.Binding{Rules: rules}
	for _, verbs := range needed {
		if level := grantLevel(rules, o, verbs...); level == grantNone || level == grantAll || !allowsOnObject(role, o, verbs) {
			return false
		}
	}
	return true
}

// isOfKubernetes reports whether every cluster has a role from the start. Admin and edit are such roles, for people, and take over the rules of
// custom types.
func isOfKubernetes(r rbacv1.ClusterRole) bool {
	return r.Labels["kubernetes.io/bootstrapping"] == "rbac-defaults"
}

// isAggregated reports whether another role takes the rules of a role over: then that role is the one to be bound.
func isAggregated(r rbacv1.ClusterRole, roles []rbacv1.ClusterRole) bool {
	return slices.ContainsFunc(roles, func(other rbacv1.ClusterRole) bool {
		return other.AggregationRule != nil && slices.ContainsFunc(other.AggregationRule.ClusterRoleSelectors, func(s metav1.LabelSelector) bool {
			selector, err := metav1.LabelSelectorAsSelector(&s)
			return err == nil && selector.Matches(labels.Set(r.Labels))
		})
	})
}

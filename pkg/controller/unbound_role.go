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
	names, complete := unboundRoles(view, c.Object.Namespace, func(rules []rbacv1.PolicyRule) bool { return allowsController(rules, c.Object, neededVerbs(w, c)) })
	if !complete || len(names) != 1 {
		return ""
	}
	return names[0]
}

// unboundRoles are the ClusterRoles whose rules allow something, and to which no binding refers that would hold in a namespace, or for objects
// without one. Those of Kubernetes itself and those of which others are made are left out; complete is false where not all could be read.
func unboundRoles(view *cluster.View, namespace string, allow func([]rbacv1.PolicyRule) bool) (names []string, complete bool) {
	bindings := view.Bindings(namespace)
	roles := cluster.ReadList[rbacv1.ClusterRole](view, cluster.ClusterRoleType, cluster.Selection{})
	for _, r := range roles.Items {
		if !allow(r.Rules) || isOfKubernetes(r) || isAggregated(r, roles.Items) {
			continue
		}
		if !slices.ContainsFunc(bindings.Items, func(b cluster.Binding) bool { return b.Role == r.Name }) {
			names = append(names, r.Name)
		}
	}
	return names, bindings.Complete && roles.Complete
}

// BindingTypes are the types of the bindings that hold in a namespace, or for objects without one.
func BindingTypes(namespace string) string {
	if namespace == "" {
		return "clusterrolebinding"
	}
	return "clusterrolebinding or rolebinding" + stuck.InNamespace(namespace)
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

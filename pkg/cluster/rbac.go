package cluster

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

// Binding is who gets the rules of one role, and where.
type Binding struct {
	// Name is the binding as kubectl names it.
	Name string
	// Namespace is where the rules hold; empty means everywhere.
	Namespace string
	Role      string
	Rules     []rbacv1.PolicyRule
	Subjects  []rbacv1.Subject
}

// Bindings are those that hold in a namespace: its own and those of the
// cluster. An empty namespace means those of the cluster alone. The rules of
// an aggregated ClusterRole stand in it, written there by its controller.
func (v *View) Bindings(namespace string) List[Binding] {
	clusterRoleList := ReadList[rbacv1.ClusterRole](v, ClusterRoleType, Selection{})
	clusterBindingList := ReadList[rbacv1.ClusterRoleBinding](v, ClusterRoleBindingType, Selection{})
	rules := map[string][]rbacv1.PolicyRule{}
	for _, r := range clusterRoleList.Items {
		rules["ClusterRole/"+r.Name] = r.Rules
	}
	out := List[Binding]{Complete: clusterRoleList.Complete && clusterBindingList.Complete}
	for _, b := range clusterBindingList.Items {
		out.Items = append(out.Items, Binding{
			Name: "clusterrolebinding/" + b.Name, Role: b.RoleRef.Name,
			Rules: rules["ClusterRole/"+b.RoleRef.Name], Subjects: b.Subjects,
		})
	}
	if namespace == "" {
		return out
	}
	roleList := readNamespaceList[rbacv1.Role](v, RoleType, namespace)
	bindingList := readNamespaceList[rbacv1.RoleBinding](v, RoleBindingType, namespace)
	for _, r := range roleList.Items {
		rules["Role/"+r.Name] = r.Rules
	}
	for _, b := range bindingList.Items {
		out.Items = append(out.Items, Binding{
			Name: "rolebinding/" + b.Name, Namespace: namespace, Role: b.RoleRef.Name,
			Rules: rules[b.RoleRef.Kind+"/"+b.RoleRef.Name], Subjects: b.Subjects,
		})
	}
	out.Complete = out.Complete && roleList.Complete && bindingList.Complete
	return out
}

// ServiceAccountExists reports whether a ServiceAccount is there.
func (v *View) ServiceAccountExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(ServiceAccountType, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

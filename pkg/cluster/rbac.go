package cluster

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	clusterRoles        = stuck.Type{Group: rbacv1.GroupName, Version: "v1", Resource: "clusterroles", Kind: "ClusterRole"}
	clusterRoleBindings = stuck.Type{Group: rbacv1.GroupName, Version: "v1", Resource: "clusterrolebindings", Kind: "ClusterRoleBinding"}
	roles               = stuck.Type{Group: rbacv1.GroupName, Version: "v1", Resource: "roles", Kind: "Role", Namespaced: true}
	roleBindings        = stuck.Type{Group: rbacv1.GroupName, Version: "v1", Resource: "rolebindings", Kind: "RoleBinding", Namespaced: true}
	serviceAccounts     = stuck.Type{Version: "v1", Resource: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}
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
	clusterRoleList := ReadList[rbacv1.ClusterRole](v, clusterRoles, Selection{})
	clusterBindingList := ReadList[rbacv1.ClusterRoleBinding](v, clusterRoleBindings, Selection{})
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
	roleList := readNamespaceList[rbacv1.Role](v, roles, namespace)
	bindingList := readNamespaceList[rbacv1.RoleBinding](v, roleBindings, namespace)
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

// AllRoleBindings are the RoleBindings of all namespaces that give something
// to a ServiceAccount.
func (v *View) AllRoleBindings() List[rbacv1.RoleBinding] {
	return ReadList[rbacv1.RoleBinding](v, roleBindings, Selection{})
}

// ServiceAccountExists says whether a ServiceAccount is there.
func (v *View) ServiceAccountExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(serviceAccounts, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

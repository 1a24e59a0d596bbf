package cluster

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Binding is who gets the rules of one role, and where.
type Binding struct {
	// Name is the binding as kubectl names it.
	Name string
	// Namespace is where the rules hold; empty means everywhere.
	Namespace string
	Role      string
	// IsDefaultRole says that the API server itself made the role, for a part of
	// Kubernetes.
	IsDefaultRole bool
	Rules         []rbacv1.PolicyRule
	Subjects      []rbacv1.Subject
}

// isSystemDefault reports whether a role is one of Kubernetes' own parts: the API server
// makes those at its start and labels them (kubernetes.io/docs: default roles and role
// bindings). A name that begins with "system:" can be anybody's, and roles without
// it, such as cluster-admin, are for everybody.
func isSystemDefault(role metav1.ObjectMeta) bool {
	return strings.HasPrefix(role.Name, "system:") && role.Labels["kubernetes.io/bootstrapping"] == "rbac-defaults"
}

// Bindings are those that hold in a namespace: its own and those of the
// cluster. An empty namespace means those of the cluster alone. The rules of
// an aggregated ClusterRole stand in it, written there by its controller.
func (v *View) Bindings(namespace string) List[Binding] {
	clusterRoleList := ReadList[rbacv1.ClusterRole](v, ClusterRoleType, Selection{})
	clusterBindingList := ReadList[rbacv1.ClusterRoleBinding](v, ClusterRoleBindingType, Selection{})
	roles := map[string]Binding{}
	for _, r := range clusterRoleList.Items {
		roles["ClusterRole/"+r.Name] = Binding{Role: r.Name, IsDefaultRole: isSystemDefault(r.ObjectMeta), Rules: r.Rules}
	}
	bind := func(name string, ref rbacv1.RoleRef, subjects []rbacv1.Subject) Binding {
		b := roles[ref.Kind+"/"+ref.Name] // without rules where there is no such role
		b.Name, b.Role, b.Subjects = name, ref.Name, subjects
		return b
	}
	out := List[Binding]{Complete: clusterRoleList.Complete && clusterBindingList.Complete}
	for _, b := range clusterBindingList.Items {
		out.Items = append(out.Items, bind("clusterrolebinding/"+b.Name, b.RoleRef, b.Subjects))
	}
	if namespace == "" {
		return out
	}
	roleList := readNamespaceList[rbacv1.Role](v, RoleType, namespace)
	bindingList := readNamespaceList[rbacv1.RoleBinding](v, RoleBindingType, namespace)
	for _, r := range roleList.Items {
		roles["Role/"+r.Name] = Binding{Role: r.Name, IsDefaultRole: isSystemDefault(r.ObjectMeta), Rules: r.Rules}
	}
	for _, b := range bindingList.Items {
		binding := bind("rolebinding/"+b.Name, b.RoleRef, b.Subjects)
		binding.Namespace = namespace
		out.Items = append(out.Items, binding)
	}
	out.Complete = out.Complete && roleList.Complete && bindingList.Complete
	return out
}

// ServiceAccountExists reports whether a ServiceAccount is there.
func (v *View) ServiceAccountExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(ServiceAccountType, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

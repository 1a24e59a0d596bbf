package plane

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Tenant is the kubeconfig of a user who is admin in one namespace and nobody elsewhere. The namespace must exist and
// not be terminating: nothing can be created in it then, and the namespace controller soon deletes the RoleBinding that
// makes the tenant what they are, which is what happens to tenants in real clusters too.
func (p *Plane) Tenant(ctx context.Context, namespace string) (string, error) {
	user, err := p.tenantOf(namespace)
	if err != nil {
		return "", err
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   subjects(user),
	}
	err = p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{})
		return ignoreExisting(err)
	})
	if err != nil {
		return "", fmt.Errorf("binding the tenant of %s: %w", namespace, err)
	}
	may := authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: "secrets"}
	return p.Kubeconfig(user), p.awaitRight(ctx, user, may)
}

// tenantOf is the user who is, or becomes, the tenant of the namespace.
func (p *Plane) tenantOf(namespace string) (string, error) {
	p.tenantLock.Lock()
	defer p.tenantLock.Unlock()
	i := slices.Index(p.tenants, namespace)
	if i < 0 {
		i = len(p.tenants)
		p.tenants = append(p.tenants, namespace)
	}
	if i >= maxTenants {
		return "", fmt.Errorf("a plane has no more than %d tenants", maxTenants)
	}
	return tenant(i), nil
}

// Viewer is the kubeconfig of a user who may read everything that is served now but Secrets. RBAC can only name what it
// allows, so call it again when new API groups have come.
func (p *Plane) Viewer(ctx context.Context) (string, error) {
	return p.Kubeconfig(Viewer), p.grantViewer(ctx)
}

func (p *Plane) grantViewer(ctx context.Context) error {
	p.tenantLock.Lock() // whoever writes last has read last
	defer p.tenantLock.Unlock()
	var groups []string
	err := p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		rules, err := viewerRules(client)
		if err != nil {
			return err
		}
		groups = rules[len(rules)-1].APIGroups
		return bindViewer(ctx, client, rules)
	})
	if err != nil {
		return fmt.Errorf("granting the viewer's rights: %w", err)
	}
	for _, group := range groups {
		may := authorizationv1.ResourceAttributes{Group: group, Verb: "list", Resource: "*"}
		if err := p.awaitRight(ctx, Viewer, may); err != nil {
			return err
		}
	}
	return nil
}

// viewerRules name every listable type of the core group but Secrets, and every other group that is served, the last
// rule. It does not ask for the other groups' types: some may not answer, and a viewer may list them nevertheless.
func viewerRules(client kubernetes.Interface) ([]rbacv1.PolicyRule, error) {
	core, err := client.Discovery().ServerResourcesForGroupVersion("v1")
	if err != nil {
		return nil, fmt.Errorf("reading the types of the core group: %w", err)
	}
	var resources []string
	for _, each := range core.APIResources {
		if slices.Contains(each.Verbs, "list") && each.Name != "secrets" {
			resources = append(resources, each.Name)
		}
	}
	served, err := client.Discovery().ServerGroups()
	if err != nil {
		return nil, fmt.Errorf("reading the API groups: %w", err)
	}
	var groups []string
	for _, each := range served.Groups {
		if each.Name != "" {
			groups = append(groups, each.Name)
		}
	}
	verbs := []string{"get", "list", "watch"}
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: append(resources, "pods/log"), Verbs: verbs},
		{APIGroups: groups, Resources: []string{"*"}, Verbs: verbs},
	}, nil
}

func bindViewer(ctx context.Context, client kubernetes.Interface, rules []rbacv1.PolicyRule) error {
	name := metav1.ObjectMeta{Name: "plane-viewer"}
	role := &rbacv1.ClusterRole{ObjectMeta: name, Rules: rules}
	_, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		// Without a resourceVersion the last writer wins, and all of them write what is served.
		_, err = client.RbacV1().ClusterRoles().Update(ctx, role, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing its ClusterRole: %w", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects:   subjects(Viewer),
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	return ignoreExisting(err)
}

// awaitRight waits until the API server, which learns of new bindings from a watch, lets the user do it.
func (p *Plane) awaitRight(ctx context.Context, user string, may authorizationv1.ResourceAttributes) error {
	client, err := p.client(user)
	if err != nil {
		return err
	}
	question := &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &may},
	}
	what := strings.Join([]string{"the right of", user, "to", may.Verb, may.Resource, may.Group}, " ")
	return p.await(ctx, what, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, question, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = fmt.Errorf("not allowed: %s", answer.Status.Reason)
		}
		return err
	})
}

func subjects(user string) []rbacv1.Subject {
	return []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

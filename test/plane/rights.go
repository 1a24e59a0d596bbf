package plane

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorization "k8s.io/api/authorization/v1"
	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Tenant is the kubeconfig of a user who is admin in one namespace and nobody elsewhere. The namespace must exist and
// not be terminating: nothing can be created in it then, and the namespace controller soon deletes the RoleBinding that
// makes the tenant what he is, which is what happens to tenants in real clusters too.
func (p *Plane) Tenant(ctx context.Context, namespace string) (string, error) {
	user, err := p.tenantOf(namespace)
	if err != nil {
		return "", err
	}
	binding := &rbac.RoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: user},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   subjects(user),
	}
	err = p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, binding, meta.CreateOptions{})
		return ignoreExisting(err)
	})
	if err != nil {
		return "", fmt.Errorf("binding the tenant of %s: %w", namespace, err)
	}
	may := authorization.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: "secrets"}
	return p.Kubeconfig(user), p.awaitRight(ctx, user, may)
}

// tenantOf is the user who is, or becomes, the tenant of the namespace.
func (p *Plane) tenantOf(namespace string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
		may := authorization.ResourceAttributes{Group: group, Verb: "list", Resource: "*"}
		if err := p.awaitRight(ctx, Viewer, may); err != nil {
			return err
		}
	}
	return nil
}

// viewerRules name every listable type of the core group but Secrets, and every other group that is served, the last
// rule. It does not ask for the other groups' types: some may not answer, and a viewer may list them nevertheless.
func viewerRules(client kubernetes.Interface) ([]rbac.PolicyRule, error) {
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
	return []rbac.PolicyRule{
		{APIGroups: []string{""}, Resources: append(resources, "pods/log"), Verbs: verbs},
		{APIGroups: groups, Resources: []string{"*"}, Verbs: verbs},
	}, nil
}

func bindViewer(ctx context.Context, client kubernetes.Interface, rules []rbac.PolicyRule) error {
	name := meta.ObjectMeta{Name: "plane-viewer"}
	role := &rbac.ClusterRole{ObjectMeta: name, Rules: rules}
	_, err := client.RbacV1().ClusterRoles().Create(ctx, role, meta.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		// Without a resourceVersion the last writer wins, and all of them write what is served.
		_, err = client.RbacV1().ClusterRoles().Update(ctx, role, meta.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing its ClusterRole: %w", err)
	}
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects:   subjects(Viewer),
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, binding, meta.CreateOptions{})
	return ignoreExisting(err)
}

// awaitRight waits until the API server, which learns of new bindings from a watch, lets the user do it.
func (p *Plane) awaitRight(ctx context.Context, user string, may authorization.ResourceAttributes) error {
	client, err := p.client(user)
	if err != nil {
		return err
	}
	question := &authorization.SelfSubjectAccessReview{
		Spec: authorization.SelfSubjectAccessReviewSpec{ResourceAttributes: &may},
	}
	what := strings.Join([]string{"the right of", user, "to", may.Verb, may.Resource, may.Group}, " ")
	return p.await(ctx, what, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, question, meta.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = fmt.Errorf("not allowed: %s", answer.Status.Reason)
		}
		return err
	})
}

func subjects(user string) []rbac.Subject {
	return []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: user}}
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

package controller

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxNamespaces is in how many namespaces the accounts that RBAC names are looked
// for. Where rights are given so freely they tell nothing.
const maxNamespaces = 20

// grantingBinding is a binding that allows to remove the finalizer.
type grantingBinding struct {
	cluster.Binding
	level grant
}

// rbacClue looks for workloads whose account may remove the finalizer. Those
// that may do everything prove nothing, and are only remembered.
func rbacClue(s *search) {
	o := s.controller.Object
	bindings := s.view.Bindings(o.Namespace)
	s.requireComplete(bindings.Complete)
	var all []grantingBinding
	for _, b := range bindings.Items {
		if level := grantLevel(b.Rules, o, "update", "patch"); level != grantNone && !b.IsDefaultRole {
			all = append(all, grantingBinding{b, level})
		}
	}
	// The most explicit are looked at first, while few places are.
	slices.SortStableFunc(all, func(a, b grantingBinding) int { return int(b.level - a.level) })
	namespaces := map[string]bool{}
	for _, b := range all {
		for _, subject := range b.Subjects {
			account, ok := serviceAccountOf(subject, b.Binding)
			switch {
			case !ok:
				s.addUserOrGroup(subject, b)
			case namespaces[account.namespace] || len(namespaces) < maxNamespaces:
				namespaces[account.namespace] = true
				s.addWorkloadsOf(account, b)
			case b.level == grantAll:
				s.addOtherActor(OtherActor{Description: fmt.Sprintf("%s (may write all types)", account)})
			default:
				s.requireComplete(false)
				s.view.AddGaps(stuck.Gap{
					Source: "accounts that may write " + o.Type.String(),
					Error:  fmt.Sprintf("too many namespaces; workloads were read in %d", maxNamespaces),
				})
			}
		}
	}
}

// serviceAccount is a ServiceAccount.
type serviceAccount struct{ namespace, name string }

func (a serviceAccount) String() string {
	return "serviceaccount/" + a.name + stuck.InNamespace(a.namespace)
}

// serviceAccountOf is the ServiceAccount that a subject stands for, false where it
// stands for a user or a group.
func serviceAccountOf(subject rbacv1.Subject, b cluster.Binding) (serviceAccount, bool) {
	if subject.Kind == rbacv1.ServiceAccountKind {
		namespace := subject.Namespace
		if namespace == "" {
			namespace = b.Namespace
		}
		return serviceAccount{namespace, subject.Name}, isNamespaceName(namespace) && subject.Name != ""
	}
	rest, ok := strings.CutPrefix(subject.Name, "system:serviceaccount:")
	if !ok {
		return serviceAccount{}, false
	}
	namespace, name, ok := strings.Cut(rest, ":")
	return serviceAccount{namespace, name}, ok && isNamespaceName(namespace) && name != ""
}

// addUserOrGroup remembers a user or group that may act on the object: their
// controller may run anywhere, outside the cluster too. What may write the finalizers is
// a controller rather than a person, as is a user with the name of who set the finalizer,
// and the service accounts of a namespace.
func (s *search) addUserOrGroup(subject rbacv1.Subject, b grantingBinding) {
	if isControlPlane(subject) {
		return
	}
	isSetter := slices.ContainsFunc(s.controller.Setters, func(m cluster.FieldManager) bool { return m.Name == subject.Name })
	isProgram := b.level == grantFinalizers || isSetter || strings.HasPrefix(subject.Name, "system:serviceaccounts:")
	s.addOtherActor(OtherActor{
		Description:   strings.ToLower(subject.Kind) + " " + subject.Name + " (" + b.Name + ")",
		NotExaminable: isProgram && b.level != grantAll && s.grantWeight(b) >= weightFair,
	})
}

// isControlPlane reports whether a user or group is a part of Kubernetes' own control
// plane, its kubelets, or its administrators, none of which is a finalizer's
// controller that could be missing. The prefix "system:" alone does not say so: anybody
// can be given such a name. The names are those of k8s.io/apiserver/pkg/authentication/user
// and of kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy, and those that kubeadm and OpenShift bind to cluster-admin.
func isControlPlane(subject rbacv1.Subject) bool {
	switch subject.Kind {
	case rbacv1.UserKind:
		switch subject.Name {
		case "system:apiserver", "system:kube-controller-manager", "system:kube-scheduler", "system:kube-proxy", "system:admin":
			return true
		}
		return strings.HasPrefix(subject.Name, "system:node:")
	case rbacv1.GroupKind:
		switch subject.Name {
		case "system:masters", "system:nodes", "kubeadm:cluster-admins", "system:cluster-admins":
			return true
		}
	}
	return false
}

// addWorkloadsOf looks for what runs as an account that may act on the object.
func (s *search) addWorkloadsOf(a serviceAccount, b grantingBinding) {
	workloads := s.view.Workloads(a.namespace)
	s.requireComplete(workloads.Complete)
	found := false
	for _, w := range workloads.Items {
		if w.ServiceAccountName() != a.name {
			continue
		}
		found = true
		if b.level == grantAll {
			_, isKnown := s.otherComponent(w.Type.Kind, w.Name, w.Namespace)
			s.addOtherActor(OtherActor{Description: w.RefInNamespace() + " (may write all types)", NotRunning: w.Ready == 0, IsKnown: isKnown})
			continue
		}
		s.addClue(w, s.grantWeight(b), "may %s %s (%s)", b.level.verbs(), s.controller.Object.Type, b.Name)
	}
	if !found && workloads.Complete {
		s.addUnusedAccount(a, b)
	}
}

// addUnusedAccount remembers an account that no workload runs as.
func (s *search) addUnusedAccount(a serviceAccount, b grantingBinding) {
	granted := fmt.Sprintf("%s, which may %s %s (%s)", a, b.level.verbs(), s.controller.Object.Type, b.Name)
	significant := b.level != grantAll && s.grantWeight(b) >= weightFair
	if s.view.Namespace(a.namespace).Absent() {
		if significant {
			s.addDeleted(a.namespace, "namespace/%s does not exist, nor does %s", a.namespace, granted)
		}
		return
	}
	exists, known := s.view.ServiceAccountExists(a.namespace, a.name)
	s.requireComplete(known)
	if b.level == grantAll {
		if exists || !known {
			s.addOtherActor(OtherActor{Description: fmt.Sprintf("any client that uses %s (may write all types)", a)})
		}
		return
	}
	objects := s.view.ObjectsRunningAs(a.namespace, a.name)
	s.requireComplete(objects.Complete)
	for _, o := range objects.Items {
		how := "runs as"
		if o.State != "" {
			how = o.State + " and uses"
		}
		s.addOtherActor(OtherActor{
			Description:   fmt.Sprintf("%s, which %s serviceaccount/%s (%s)", o.RefInNamespace(), how, a.name, b.Name),
			NotExaminable: significant && !o.Ended, NotRunning: o.Ended,
		})
	}
	switch {
	case len(objects.Items) > 0:
	case known && !exists && significant:
		s.addDeleted(a.namespace, "%s, does not exist", granted)
	case known && !exists, !objects.Complete:
	default:
		if significant {
			s.addNotFound(a.namespace, "no workload runs as %s", granted)
		}
		s.addOtherActor(OtherActor{Description: fmt.Sprintf("a client outside the cluster that uses %s (%s)", a, b.Name)})
	}
}

// grant is how explicitly rules allow something.
type grant int

const (
	grantNone       grant = iota
	grantAll              // all resources of all groups
	grantGroup            // all resources of the type's group
	grantType             // the type itself
	grantFinalizers       // the type's subresource for finalizers, which only its controller asks for
)

// grantWeight is how much a grant proves. The roles that Kubernetes has for people
// are given to pipelines too, and hold whatever types were aggregated to them. Many
// programs may write Pods and Namespaces: of a finalizer of which nothing is known, that names none of them.
func (s *search) grantWeight(g grantingBinding) int {
	switch {
	case g.Role == "admin" || g.Role == "edit":
		return weightWeak
	case stuck.IsBuiltInGroup(s.controller.Object.Type.Group) && len(s.controller.CatalogMatch.Entries) == 0:
		return weightWeak
	case g.level == grantFinalizers:
		return weightStrong
	}
	return weightFair
}

func (g grant) verbs() string {
	if g == grantFinalizers {
		return "write the finalizers of"
	}
	return "write"
}

// grantLevel says how rules allow any of the verbs on an object: by the most
// explicit of those that do.
func grantLevel(rules []rbacv1.PolicyRule, o stuck.Object, verbs ...string) grant {
	best := grantNone
	for _, r := range rules {
		named := len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, o.Name)
		if !named || !slices.ContainsFunc(verbs, func(v string) bool { return containsOrWildcard(r.Verbs, v) }) || !containsOrWildcard(r.APIGroups, o.Type.Group) {
			continue
		}
		switch {
		case slices.Contains(r.Resources, o.Type.Resource+"/finalizers"):
			best = max(best, grantFinalizers)
		case slices.Contains(r.Resources, o.Type.Resource):
			best = max(best, grantType)
		case !slices.Contains(r.Resources, rbacv1.ResourceAll) && !slices.Contains(r.Resources, "*/finalizers"):
		case slices.Contains(r.APIGroups, rbacv1.APIGroupAll):
			best = max(best, grantAll)
		default:
			best = max(best, grantGroup)
		}
	}
	return best
}

func containsOrWildcard(list []string, item string) bool {
	return slices.Contains(list, item) || slices.Contains(list, "*")
}

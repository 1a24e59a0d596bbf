package owner

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mostPlaces is in how many namespaces the accounts that RBAC names are looked
// for. Where rights are given so freely they tell nothing.
const mostPlaces = 20

// rights looks for workloads whose account may take the finalizer off. Those
// that may do everything prove nothing, and are only remembered.
func rights(s *search) {
	bindings := s.see.Bindings(s.owner.Object.Namespace)
	s.needs(bindings.Complete)
	places := map[string]bool{}
	for _, b := range bindings.Items {
		if strings.HasPrefix(b.Role, "system:") {
			continue // Kubernetes' own
		}
		how := allows(b.Rules, s.owner.Object.Type, "update", "patch")
		if how == nothing {
			continue
		}
		for _, subject := range b.Subjects {
			account, ok := accountOf(subject, b)
			switch {
			case !ok:
				s.outsider(subject, b)
			case places[account.namespace] || len(places) < mostPlaces:
				places[account.namespace] = true
				s.holder(account, b, how)
			default:
				s.needs(false)
			}
		}
	}
}

// account is a ServiceAccount.
type account struct{ namespace, name string }

func (a account) String() string { return a.namespace + "/" + a.name }

// accountOf is the ServiceAccount that a subject stands for, false where it
// stands for a user or a group.
func accountOf(subject rbacv1.Subject, b cluster.Binding) (account, bool) {
	if subject.Kind == rbacv1.ServiceAccountKind {
		namespace := subject.Namespace
		if namespace == "" {
			namespace = b.Namespace
		}
		return account{namespace, subject.Name}, true
	}
	rest, ok := strings.CutPrefix(subject.Name, "system:serviceaccount:")
	if !ok {
		return account{}, false
	}
	namespace, name, ok := strings.Cut(rest, ":")
	return account{namespace, name}, ok
}

// outsider remembers a user or group that may act on the object: their
// controller may run anywhere.
func (s *search) outsider(subject rbacv1.Subject, b cluster.Binding) {
	if strings.HasPrefix(subject.Name, "system:") {
		return // the control plane itself, and its administrators
	}
	other := strings.ToLower(subject.Kind) + " " + subject.Name + " (" + b.Name + ")"
	if !slices.Contains(s.owner.Others, other) {
		s.owner.Others = append(s.owner.Others, other)
	}
}

// holder looks for what runs as an account that may act on the object.
func (s *search) holder(a account, b cluster.Binding, how grant) {
	runs := s.see.Workloads(a.namespace)
	s.needs(runs.Complete)
	found := false
	for _, w := range runs.Items {
		if w.Account() != a.name {
			continue
		}
		found = true
		if how == everything {
			if other := w.Ref() + " in namespace " + w.Namespace + " (it may do everything)"; !slices.Contains(s.owner.Others, other) {
				s.owner.Others = append(s.owner.Others, other)
			}
			continue
		}
		s.point(w, how.weight(), "it may %s %s (%s)", how.words(), s.owner.Object.Type, b.Name)
	}
	if !found && runs.Complete && how != everything {
		s.trace(a.namespace, "serviceaccount %s may %s %s (%s), and nothing runs as it%s", a, how.words(), s.owner.Object.Type, b.Name, s.gone(a))
	}
}

// gone says how much of an account is no longer there.
func (s *search) gone(a account) string {
	if s.see.Namespace(a.namespace).Absent() {
		return "; its namespace is gone"
	}
	if exists, known := s.see.AccountExists(a.namespace, a.name); known && !exists {
		return "; it no longer exists itself"
	}
	return ""
}

// grant is how explicitly rules allow something.
type grant int

const (
	nothing      grant = iota
	everything         // all resources of all groups
	ofGroup            // all resources of the type's group
	ofType             // the type itself
	ofFinalizers       // the type's subresource for finalizers, which only its controller asks for
)

func (g grant) weight() int {
	switch g {
	case ofFinalizers:
		return strong
	case ofType, ofGroup:
		return fair
	}
	return 0
}

func (g grant) words() string {
	if g == ofFinalizers {
		return "write the finalizers of"
	}
	return "write"
}

// allows says how rules allow any of the verbs on a type: by the most explicit
// of those that do.
func allows(rules []rbacv1.PolicyRule, t stuck.Type, verbs ...string) grant {
	best := nothing
	for _, r := range rules {
		if len(r.ResourceNames) > 0 || !slices.ContainsFunc(verbs, func(v string) bool { return hasOrAll(r.Verbs, v) }) || !hasOrAll(r.APIGroups, t.Group) {
			continue
		}
		switch {
		case slices.Contains(r.Resources, t.Resource+"/finalizers"):
			best = max(best, ofFinalizers)
		case slices.Contains(r.Resources, t.Resource):
			best = max(best, ofType)
		case !slices.Contains(r.Resources, rbacv1.ResourceAll):
		case slices.Contains(r.APIGroups, rbacv1.APIGroupAll):
			best = max(best, everything)
		default:
			best = max(best, ofGroup)
		}
	}
	return best
}

func hasOrAll(list []string, word string) bool {
	return slices.Contains(list, word) || slices.Contains(list, "*")
}

package owner

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mostPlaces is in how many namespaces the accounts that RBAC names are looked
// for. Where rights are given so freely they tell nothing.
const mostPlaces = 20

// granted is a binding that allows to take the finalizer off.
type granted struct {
	cluster.Binding
	how grant
}

// rights looks for workloads whose account may take the finalizer off. Those
// that may do everything prove nothing, and are only remembered.
func rights(s *search) {
	o := s.owner.Object
	bindings := s.see.Bindings(o.Namespace)
	s.needs(bindings.Complete)
	var all []granted
	for _, b := range bindings.Items {
		if how := allows(b.Rules, o, "update", "patch"); how != nothing && !kubernetesOwn(b.Role) {
			all = append(all, granted{b, how})
		}
	}
	// The most explicit are looked at first, while few places are.
	slices.SortStableFunc(all, func(a, b granted) int { return int(b.how - a.how) })
	places := map[string]bool{}
	for _, b := range all {
		for _, subject := range b.Subjects {
			account, ok := accountOf(subject, b.Binding)
			switch {
			case !ok:
				s.outsider(subject, b.Binding)
			case places[account.namespace] || len(places) < mostPlaces:
				places[account.namespace] = true
				s.holder(account, b)
			case b.how == everything:
				s.other(Other{Says: fmt.Sprintf("serviceaccount %s (it may do everything)", account)})
			default:
				s.needs(false)
				s.see.Note(stuck.Gap{
					Source: "accounts that may write " + o.Type.String(),
					Error:  fmt.Sprintf("they are in too many namespaces; what runs was looked at in %d", mostPlaces),
				})
			}
		}
	}
}

// kubernetesOwn says whether a role is one that every cluster has for its own
// parts. OpenShift names those of its operators in the same way.
func kubernetesOwn(role string) bool {
	return strings.HasPrefix(role, "system:") && !strings.HasPrefix(role, "system:openshift:")
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
		return account{namespace, subject.Name}, isNamespace(namespace) && subject.Name != ""
	}
	rest, ok := strings.CutPrefix(subject.Name, "system:serviceaccount:")
	if !ok {
		return account{}, false
	}
	namespace, name, ok := strings.Cut(rest, ":")
	return account{namespace, name}, ok && isNamespace(namespace) && name != ""
}

// outsider remembers a user or group that may act on the object: their
// controller may run anywhere.
func (s *search) outsider(subject rbacv1.Subject, b cluster.Binding) {
	everybody := strings.HasPrefix(subject.Name, "system:serviceaccount") || subject.Name == "system:authenticated"
	if strings.HasPrefix(subject.Name, "system:") && !everybody {
		return // the control plane itself, and its administrators
	}
	s.other(Other{Says: strings.ToLower(subject.Kind) + " " + subject.Name + " (" + b.Name + ")"})
}

// holder looks for what runs as an account that may act on the object.
func (s *search) holder(a account, b granted) {
	runs := s.see.Workloads(a.namespace)
	s.needs(runs.Complete)
	found := false
	for _, w := range runs.Items {
		if w.Account() != a.name {
			continue
		}
		found = true
		if b.how == everything {
			s.other(Other{Says: w.Ref() + " in namespace " + w.Namespace + " (it may do everything)", Down: w.Ready == 0})
			continue
		}
		s.point(w, b.weight(), "it may %s %s (%s)", b.how.words(), s.owner.Object.Type, b.Name)
	}
	if !found && runs.Complete {
		s.unused(a, b)
	}
}

// unused remembers an account that no workload runs as.
func (s *search) unused(a account, b granted) {
	may := fmt.Sprintf("serviceaccount %s may %s %s (%s), and nothing runs as it", a, b.how.words(), s.owner.Object.Type, b.Name)
	telling := b.how != everything && b.weight() >= fair
	if s.see.Namespace(a.namespace).Absent() {
		if telling {
			s.gone(a.namespace, "%s; its namespace is gone", may)
		}
		return
	}
	exists, known := s.see.AccountExists(a.namespace, a.name)
	s.needs(known)
	if b.how == everything {
		if exists || !known {
			s.other(Other{Says: fmt.Sprintf("whoever uses serviceaccount %s (it may do everything)", a)})
		}
		return
	}
	runs := s.see.RunAs(a.namespace, a.name)
	s.needs(runs.Complete)
	for _, o := range runs.Items {
		s.other(Other{Says: fmt.Sprintf("%s in namespace %s, which runs as serviceaccount %s (%s)", o.Ref(), o.Namespace, a.name, b.Name), Unseen: telling})
	}
	switch {
	case len(runs.Items) > 0 || !runs.Complete:
	case known && !exists && telling:
		s.gone(a.namespace, "%s; it no longer exists itself", may)
	case known && !exists:
	default:
		if telling {
			s.trace(a.namespace, "%s", may)
		}
		s.other(Other{Says: fmt.Sprintf("whoever uses serviceaccount %s from outside the cluster (%s)", a, b.Name)})
	}
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

// weight is how much a grant tells. The roles that Kubernetes has for people
// are given to pipelines too, and hold whatever types were aggregated to them.
func (g granted) weight() int {
	switch {
	case g.Role == "admin" || g.Role == "edit":
		return weak
	case g.how == ofFinalizers:
		return strong
	}
	return fair
}

func (g grant) words() string {
	if g == ofFinalizers {
		return "write the finalizers of"
	}
	return "write"
}

// allows says how rules allow any of the verbs on an object: by the most
// explicit of those that do.
func allows(rules []rbacv1.PolicyRule, o stuck.Object, verbs ...string) grant {
	best := nothing
	for _, r := range rules {
		named := len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, o.Name)
		if !named || !slices.ContainsFunc(verbs, func(v string) bool { return hasOrAll(r.Verbs, v) }) || !hasOrAll(r.APIGroups, o.Type.Group) {
			continue
		}
		switch {
		case slices.Contains(r.Resources, o.Type.Resource+"/finalizers"):
			best = max(best, ofFinalizers)
		case slices.Contains(r.Resources, o.Type.Resource):
			best = max(best, ofType)
		case !slices.Contains(r.Resources, rbacv1.ResourceAll) && !slices.Contains(r.Resources, "*/finalizers"):
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

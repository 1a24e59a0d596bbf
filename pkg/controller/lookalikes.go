package controller

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// lookalikesClue looks, where nothing points at a workload, for what the controller may be all the same: one that lost
// its permissions is found by no clue that rests on them. Names prove nothing, so they only cast doubt.
func lookalikesClue(s *search) {
	if len(s.candidates) > 0 || isBuiltInType(s) {
		return
	}
	unboundRoleClue(s)
	words := resemblingWords(s.controller.Object.Type, s.controller.Finalizer)
	all := s.view.WorkloadsNamedAsControllers()
	s.requireComplete(all.Complete)
	for _, w := range all.Items {
		_, isKnown := s.otherComponent(w.Type.Kind, w.Name, w.Namespace)
		isNamed := slices.ContainsFunc(s.controller.OtherActors, func(o OtherActor) bool { return strings.HasPrefix(o.Description, w.RefInNamespace()+" ") })
		if isKnown || isNamed {
			continue
		}
		if why := s.resemblance(w, words); why != "" {
			s.addOtherActor(OtherActor{Description: fmt.Sprintf("%s (%s)", w.RefInNamespace(), why), IsNamesake: true})
		}
	}
}

// resemblance is why a workload may be the controller, empty where nothing says so.
func (s *search) resemblance(w stuck.Object, words []string) string {
	for _, other := range s.finalizersOfSameDomain() {
		for _, m := range s.view.FinalizerManagers(s.controller.Object, other) {
			if m.Name == w.Name {
				return fmt.Sprintf("it set %s, which has the same domain", other)
			}
		}
	}
	for _, word := range words {
		if hasWord(w.Name, word) || hasWord(w.Namespace, word) {
			return fmt.Sprintf("its name or namespace has the word %s of %s", word, s.controller.Object.Type)
		}
	}
	return ""
}

// maxSameDomain is how many other finalizers of an object are looked at: it can have thousands.
const maxSameDomain = 10

// finalizersOfSameDomain are the first other finalizers of the object whose names begin with the same domain.
func (s *search) finalizersOfSameDomain() []string {
	domain, _, ok := strings.Cut(s.controller.Finalizer, "/")
	if !ok {
		return nil
	}
	var out []string
	for _, other := range s.controller.Object.Finalizers {
		if other != s.controller.Finalizer && strings.HasPrefix(other, domain+"/") && len(out) < maxSameDomain {
			out = append(out, other)
		}
	}
	return out
}

// unboundRoleClue looks for ClusterRoles that allow writing the finalizers of the type and that nothing refers to: their binding was
// deleted, perhaps with the namespace, and the controller may still run.
func unboundRoleClue(s *search) {
	bindings := s.view.Bindings(s.controller.Object.Namespace)
	roles := cluster.ReadList[rbacv1.ClusterRole](s.view, cluster.ClusterRoleType, cluster.Selection{})
	s.requireComplete(bindings.Complete && roles.Complete)
	for _, r := range roles.Items {
		isBound := slices.ContainsFunc(bindings.Items, func(b cluster.Binding) bool { return b.Role == r.Name })
		if !isBound && !isOfKubernetes(r) && !isAggregated(r, roles.Items) && grantLevel(r.Rules, s.controller.Object, "update", "patch") == grantFinalizers {
			s.addOtherActor(OtherActor{
				Description: fmt.Sprintf("what clusterrole/%s was bound to (it allows to write the finalizers of %s, and no binding refers to it)", r.Name, s.controller.Object.Type),
				IsNamesake:  true,
			})
		}
	}
}

// genericWords are the words of types and domains that say nothing of a controller.
var genericWords = []string{
	"api", "apis", "app", "apps", "cluster", "config", "controller", "core", "example", "finalizer", "finalizers", "infrastructure", "k8s", "kubernetes", "manager", "operator", "operators",
	"resource", "resources", "service", "system", "x-k8s",
}

// resemblingWords are the words of a type and of the domains of its group and of a finalizer by which a controller may be called.
func resemblingWords(t stuck.Type, finalizer string) []string {
	domain, _, _ := strings.Cut(finalizer, "/")
	words := slices.Concat([]string{strings.ToLower(t.Kind), t.Resource}, domainWords(t.Group), domainWords(domain))
	words = slices.DeleteFunc(words, func(word string) bool { return len(word) < 2 || slices.Contains(genericWords, word) })
	slices.Sort(words)
	return slices.Compact(words)
}

// domainWords are the parts of a domain but the last one, and but the last two of three or more: those are of an organization, which may
// have many controllers.
func domainWords(domain string) []string {
	parts := strings.Split(domain, ".")
	return parts[:len(parts)-min(2, max(1, len(parts)-1))]
}

// hasWord reports whether a name is a word, or has it between hyphens.
func hasWord(name, word string) bool { return strings.Contains("-"+name+"-", "-"+word+"-") }

package controller

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// lookalikesClue looks, where nothing points at a workload, for what the controller may be all the same: one that lost
// its permissions is found by no clue that rests on them. Names prove nothing, so they only cast doubt.
func lookalikesClue(s *search) {
	if len(s.candidates) > 0 || isBuiltInType(s) {
		return
	}
	unboundRoleClue(s)
	setters, words := s.settersOfSameDomain(), resemblingWords(s.controller.Object.Type, s.controller.Finalizer)
	all := s.view.WorkloadObjects()
	s.requireComplete(all.Complete)
	for _, w := range all.Items {
		why := s.resemblance(w, setters, words)
		if why == "" || s.isOtherActor(w) {
			continue
		}
		if _, isKnown := s.otherComponent(w.Type.Kind, w.Name, w.Namespace); !isKnown {
			s.addOtherActor(OtherActor{Description: fmt.Sprintf("%s (%s)", w.RefInNamespace(), why), IsNamesake: true})
		}
	}
}

// isOtherActor reports whether it is known already that a workload may act on the object.
func (s *search) isOtherActor(w stuck.Object) bool {
	return slices.ContainsFunc(s.controller.OtherActors, func(o OtherActor) bool { return strings.HasPrefix(o.Description, w.RefInNamespace()+" ") })
}

// controllerWords are the words by which workloads are called that run controllers.
var controllerWords = regexp.MustCompile(`(^|-)(controllers?|managers?|provisioner|reconciler)(-|$)|operator(-|$)`)

// resemblance is why a workload may be the controller, empty where nothing says so. The setters are other finalizers of the same
// domain, by the names of those who set them.
func (s *search) resemblance(w stuck.Object, setters map[string]string, words []string) string {
	if other := setters[w.Name]; other != "" {
		return fmt.Sprintf("it set %s, which has the same domain", other)
	}
	if !controllerWords.MatchString(w.Name) {
		return ""
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

// settersOfSameDomain are the names of the field managers that set other finalizers of the object with the same domain, each
// with the first of those finalizers.
func (s *search) settersOfSameDomain() map[string]string {
	setters := map[string]string{}
	domain, _, ok := strings.Cut(s.controller.Finalizer, "/")
	if !ok {
		return setters
	}
	looked := 0
	for _, other := range s.controller.Object.Finalizers {
		if other == s.controller.Finalizer || !strings.HasPrefix(other, domain+"/") {
			continue
		}
		if looked++; looked > maxSameDomain {
			break
		}
		for _, m := range s.view.FinalizerManagers(s.controller.Object, other) {
			if setters[m.Name] == "" && !IsGenericManager(m.Name) {
				setters[m.Name] = other
			}
		}
	}
	return setters
}

// unboundRoleClue looks for ClusterRoles that allow writing the finalizers of the type and that no binding gives to anybody: their
// binding was deleted, perhaps with the namespace, and the controller may still run.
func unboundRoleClue(s *search) {
	names, complete := unboundRoles(s.view, s.controller.Object.Namespace, func(rules []rbacv1.PolicyRule) bool {
		return grantLevel(rules, s.controller.Object, "update", "patch") == grantFinalizers
	})
	s.requireComplete(complete)
	for _, name := range names {
		s.addOtherActor(OtherActor{
			Description: fmt.Sprintf("what clusterrole/%s is for (it allows writing the finalizers of %s, and no %s refers to it)", name, s.controller.Object.Type, BindingTypes(s.controller.Object.Namespace)),
			IsNamesake:  true,
		})
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

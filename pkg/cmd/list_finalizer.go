package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mayMatchFinalizer reports whether an object may hold a finalizer that --finalizer selects.
// A scan does not see the spec of a namespace: filterNamespaces looks at those that are
// being deleted.
func (o *listOptions) mayMatchFinalizer(object stuck.Object) bool {
	switch {
	case o.finalizer == "" || object.IsNamespace() && object.Deleting():
		return true
	case object.IsNamespace():
		return o.matchesAny(append([]string{string(corev1.FinalizerKubernetes)}, object.Finalizers...))
	}
	return o.matchesAny(object.Finalizers)
}

// filterNamespaces leaves out the namespaces that hold no finalizer which --finalizer
// selects, in their spec or elsewhere. One that cannot be read stays.
func (o *listOptions) filterNamespaces(view *cluster.View, objects []stuck.Object) []stuck.Object {
	if o.finalizer == "" {
		return objects
	}
	return slices.DeleteFunc(slices.Clone(objects), func(object stuck.Object) bool {
		if !object.IsNamespace() || !object.Deleting() {
			return false
		}
		ns, names := view.Namespace(object.Name), slices.Clone(object.Finalizers)
		if !ns.Found() {
			return false
		}
		for _, f := range ns.Value.Spec.Finalizers {
			names = append(names, string(f), stuck.SpecFinalizerPrefix+string(f)) // as the table shows it
		}
		return !o.matchesAny(names)
	})
}

func (o *listOptions) matchesAny(names []string) bool {
	return slices.ContainsFunc(names, o.matchesFinalizer)
}

// matchesFinalizer reports whether --finalizer selects a name.
func (o *listOptions) matchesFinalizer(name string) bool {
	ok, _ := glob(o.finalizer, name)
	return ok
}

// finalizerNames are the finalizers that were seen on any object. It is safe for
// concurrent use.
type finalizerNames struct {
	mu    sync.Mutex
	names map[string]bool
}

// maxFinalizerNames bounds the memory. No cluster has as many, unless someone wants to
// fill it.
const maxFinalizerNames = 10_000

func (f *finalizerNames) add(object stuck.Object) {
	if len(object.Finalizers) == 0 && !object.IsNamespace() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]bool{}
	}
	names := object.Finalizers
	if object.IsNamespace() {
		names = append([]string{string(corev1.FinalizerKubernetes)}, names...)
	}
	for _, name := range names {
		if len(f.names) < maxFinalizerNames {
			f.names[name] = true
		}
	}
}

func (f *finalizerNames) contains(matches func(string) bool) bool {
	return slices.ContainsFunc(f.sorted(), matches)
}

func (f *finalizerNames) sorted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.names))
}

// checkFinalizer refuses a --finalizer that no finalizer matches, where a similar one was
// probably meant. A name that is similar to none may be that of a finalizer which no
// object has at the moment.
func (o *listOptions) checkFinalizer(view *cluster.View, known *catalog.Catalog) error {
	if o.finalizer == "" || len(view.AllGaps()) > 0 || o.seen.contains(o.matchesFinalizer) || o.matchesAny(known.Names()) {
		return nil
	}
	// Names in the cluster are more likely, unless another is more similar: a finalizer may
	// be meant that no object has at the moment.
	seen := o.seen.sorted()
	similar := nearFinalizers(o.finalizer, slices.Concat(seen, known.Names()))
	if len(similar) > 0 && slices.Contains(seen, similar[0]) {
		similar = nearFinalizers(o.finalizer, seen)
	}
	if len(similar) == 0 {
		return nil
	}
	return fmt.Errorf("reading --finalizer: no finalizer %s matches %q, which must match the full name; did you mean %s?",
		o.where(), o.finalizer, strings.Join(similar[:min(maxSuggestions, len(similar))], " or "))
}

// maxTypos is how many letters of a name may be wrong.
const maxTypos = 2

// nearFinalizers are the names that contain a pattern, or differ from it by a typo:
// "kubernetes.io/pvc-protection" contains "pvc-protection".
func nearFinalizers(pattern string, names []string) []string {
	const shortest = 3 // any name has less than that in it
	word := strings.ToLower(strings.Trim(strings.TrimPrefix(pattern, "spec:"), "*"))
	if len(word) < shortest {
		return nil
	}
	type hit struct {
		name  string
		typos int
	}
	var similar []hit
	for _, name := range names {
		lower := strings.ToLower(name)
		_, part, _ := strings.Cut(lower, "/")
		typos := min(catalog.EditDistance(word, lower), catalog.EditDistance(word, part))
		if !strings.Contains(word, "/") && strings.Contains(lower, word) || typos <= min(maxTypos, len(word)/shortest-1) {
			similar = append(similar, hit{name, typos})
		}
	}
	slices.SortStableFunc(similar, func(a, b hit) int {
		// Those of Kubernetes itself are the ones that people know without their domain.
		return cmp.Or(cmp.Compare(a.typos, b.typos), cmp.Compare(domainRank(a.name), domainRank(b.name)))
	})
	var out []string
	for _, h := range similar {
		out = append(out, h.name)
	}
	return out
}

func domainRank(finalizer string) int {
	if domain, _, ok := strings.Cut(finalizer, "/"); ok && domain != "kubernetes.io" {
		return 1
	}
	return 0
}

// glob matches a full name. A star matches the slash that most finalizers have, too.
func glob(pattern, name string) (bool, error) {
	return path.Match(strings.ReplaceAll(pattern, "/", "\n"), strings.ReplaceAll(name, "/", "\n"))
}

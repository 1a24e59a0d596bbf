package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodsFirst holds a namespace at its Pods: until the last of them is gone,
// nothing else in it is even tried.
var PodsFirst = Cause{
	ID:    "pods-first",
	Title: "Pods go first, and nothing else is deleted while one remains",
	Doc: Doc{
		Shows: "A namespace is Terminating and a Pod in it does not go. Other objects in it have no deletionTimestamp at all, and the conditions `NamespaceContentRemaining` and `NamespaceFinalizersRemaining` may say that all content was removed, which is not so.",
		Why:   "Since Kubernetes 1.33 (KEP-5080, ordered namespace deletion) the namespace controller deletes Pods first and returns while any of them remains, before it counts the rest.",
		Fix:   "Free the Pod; the rest follows by itself.",
		Force: "Nothing but Pods was deleted: claims, Services with their load balancers and custom resources all stay in etcd, and so does what they stand for outside.",
	},
	Applies: deletingNamespace,
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		content := see.Content(o.Name)
		held := slices.DeleteFunc(slices.Clone(content.Deleting), func(c stuck.Object) bool { return !isPod(c) })
		if minor, ok := see.Minor(); len(held) == 0 || !ok || minor < podsFirstSince {
			return nil
		}
		f := stuck.Finding{
			Summary:   fmt.Sprintf("waits for %s: pods go first", tally(held)),
			Culprit:   culpritOf(held, o),
			Certainty: stuck.Proven,
			Explains:  []string{finalizerKubernetes},
			WaitsFor:  held,
			IfForced:  strandedBy(content.Left),
		}
		f.Evidence, f.Fix = inGrace(see, held)
		if len(content.Left) > 0 {
			f.Evidence = append(f.Evidence, "nobody has tried to delete the rest yet: "+tallyKinds(content.Left))
		}
		if claimsAllRemoved(see, o.Name) {
			f.Evidence = append(f.Evidence, `its conditions say "All content successfully removed", which counts for nothing while pods remain`)
		}
		return []stuck.Finding{f}
	},
}

// inGrace says how long the last of those Pods may take that are still within
// their grace period, and how to give it less where that is long.
func inGrace(see *cluster.View, pods []stuck.Object) (evidence []string, fix []stuck.Step) {
	pods = slices.DeleteFunc(slices.Clone(pods), func(o stuck.Object) bool { return o.Stuck(see.Now()) })
	if len(pods) == 0 {
		return nil, nil
	}
	last := slices.MaxFunc(pods, func(a, b stuck.Object) int { return a.Deleted.Compare(b.Deleted) })
	left := last.Deleted.Sub(see.Now())
	evidence = []string{fmt.Sprintf("%s is within its grace period for another %s", last.Ref(), duration.HumanDuration(left))}
	if left > longGrace {
		fix = []stuck.Step{{
			What:    "wait, or stop it sooner if it need not end by itself",
			Command: command(last.Namespace, "delete pod %s --grace-period=30 --wait=false", last.Name),
		}}
	}
	return evidence, fix
}

// longGrace is what nobody wants to wait for without being asked.
const longGrace = 2 * time.Minute

// podsFirstSince is the minor version in which the namespace controller began
// to delete Pods before anything else (OrderedNamespaceDeletion).
const podsFirstSince = 33

func claimsAllRemoved(see *cluster.View, namespace string) bool {
	ns := see.Namespace(namespace)
	if !ns.Found() {
		return false
	}
	for _, c := range ns.Value.Status.Conditions {
		if c.Type == "NamespaceContentRemaining" && c.Status == "False" {
			return true
		}
	}
	return false
}

// strandedBy is what a forced end of the namespace would strand, by the worst
// of what is left in it.
func strandedBy(left map[cluster.Kind]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leak: stuck.LeakObjects, What: "the pods: out of reach in etcd"}
	}
	cost := stuck.Cost{Leak: stuck.LeakObjects, What: "everything but the pods, which nobody has tried to delete: " + tallyKinds(left)}
	for kind := range left {
		_, group, _ := strings.Cut(kind.Many, ".")
		switch {
		case kind.Many == "persistentvolumeclaims":
			cost.Leak = stuck.LeakData
			return cost
		case kind.Many == "services" || !stuck.BuiltIn(group):
			cost.Leak = stuck.LeakUnknown
		}
	}
	return cost
}

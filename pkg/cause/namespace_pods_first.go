package cause

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespacePodsFirst holds a namespace at its Pods: until the last of them is gone,
// nothing else in it is even tried.
var NamespacePodsFirst = kit.Cause{
	ID:    "pods-first",
	Title: "Pods go first, and nothing else is deleted while one remains",
	Doc: kit.Doc{
		Symptoms: "A namespace is Terminating and a Pod in it does not go. Other objects in it have no deletionTimestamp at all, and the conditions `NamespaceContentRemaining` and `NamespaceFinalizersRemaining` may say that all content was removed, which is not so.",
		Why:      "Since Kubernetes 1.33 (KEP-5080, ordered namespace deletion) the namespace controller deletes Pods first and returns while any of them remains, before it counts the rest.",
		Fix:      "Free the Pod; the rest follows by itself.",
		IfForced: "Nothing but Pods was deleted: claims, Services with their load balancers and custom resources all stay in etcd, and so does what they stand for outside.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		content := view.NamespaceContent(o.Name)
		pods := slices.DeleteFunc(slices.Clone(content.Deleting), func(c stuck.Object) bool { return !kit.IsPod(c) })
		if minor, ok := view.MinorVersion(); len(pods) == 0 || !ok || minor < kit.PodsFirstSince {
			return nil
		}
		f := stuck.Finding{
			Message:   fmt.Sprintf("waits for %s: pods go first", kit.CountByType(pods)),
			BlockedBy: kit.CulpritAmong(pods, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerKubernetes},
			WaitsFor:  pods,
			OnForce:   kit.NamespaceCost(content.NotDeleted),
		}
		f.Evidence, f.Steps = withinGracePeriod(view, pods)
		if len(content.NotDeleted) > 0 {
			f.Evidence = append(f.Evidence, "nobody has tried to delete the rest yet: "+kit.FormatCounts(content.NotDeleted))
		}
		if kit.ReportsNoContentLeft(view, o.Name) {
			f.Evidence = append(f.Evidence, `its conditions say "All content successfully removed", which counts for nothing while pods remain`)
		}
		return []stuck.Finding{f}
	},
}

// withinGracePeriod says how long the last of those Pods may take that are still within
// their grace period, and how to give it less where that is long.
func withinGracePeriod(view *cluster.View, pods []stuck.Object) (evidence []string, fix []stuck.Step) {
	pods = slices.DeleteFunc(slices.Clone(pods), func(o stuck.Object) bool { return o.IsStuck(view.Now()) })
	if len(pods) == 0 {
		return nil, nil
	}
	last := slices.MaxFunc(pods, func(a, b stuck.Object) int { return a.DeletionTime.Compare(b.DeletionTime) })
	left := last.DeletionTime.Sub(view.Now())
	evidence = []string{fmt.Sprintf("%s is within its grace period for another %s", last.Ref(), duration.HumanDuration(left))}
	if left > longGracePeriod {
		fix = []stuck.Step{{
			Action:      stuck.ActionDelete,
			Description: "wait, or stop it sooner if it need not end by itself",
			Command:     stuck.Kubectlf(last.Namespace, "delete pod %s --grace-period=30 --wait=false", last.Name),
		}}
	}
	return evidence, fix
}

// longGracePeriod is what nobody wants to wait for without being asked.
const longGracePeriod = 2 * time.Minute

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

// NamespacePodsFirst blocks a namespace on its Pods: until the last of them is deleted,
// nothing else in it is deleted.
var NamespacePodsFirst = kit.Cause{
	ID:    "pods-first",
	Title: "Pods are deleted first, and other objects only after all Pods are deleted",
	Doc: kit.Doc{
		Symptoms: "A namespace is Terminating and a Pod in the namespace is not deleted. Other objects in the namespace have no deletionTimestamp. The conditions `NamespaceContentRemaining` and `NamespaceFinalizersRemaining` may wrongly report that all content was removed.",
		Why:      "Since Kubernetes 1.33 (KEP-5080, ordered namespace deletion), the namespace controller deletes Pods first. While any Pod remains, the namespace controller stops there, before it counts the other objects.",
		Fix:      "Unblock the Pod. The other objects are then deleted.",
		IfForced: "Only Pods were deleted: claims, Services with their load balancers, and custom resources are left behind in etcd. Their external resources are left behind too.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		content := view.NamespaceContent(o.Name)
		pods := slices.DeleteFunc(slices.Clone(content.Deleting), func(c stuck.Object) bool { return !kit.IsPod(c) })
		if minor, ok := view.MinorVersion(); len(pods) == 0 || !ok || minor < kit.PodsFirstSince {
			return nil
		}
		f := stuck.Finding{
			Message:   kit.NotDeletedText(pods) + ", and pods are deleted first",
			BlockedBy: kit.CulpritAmong(pods, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerKubernetes},
			WaitsFor:  pods,
			OnForce:   kit.NamespaceCost(content.NotDeleted),
		}
		f.Evidence, f.Steps = withinGracePeriod(view, pods)
		if len(content.NotDeleted) > 0 {
			f.Evidence = append(f.Evidence, "not yet deleted: "+kit.FormatCounts(content.NotDeleted))
		}
		if kit.ReportsNoContentLeft(view, o.Name) {
			f.Evidence = append(f.Evidence, `the condition "All content successfully removed" is not reliable while pods remain`)
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
		// kubernetes/pkg/controller/namespace/namespace_controller.go, worker: it waits half
		// of the grace period, unless its resync comes first.
		evidence = append(evidence, "the namespace controller then processes the namespace again within 5 minutes (--namespace-sync-period)")
		fix = []stuck.Step{{
			Action:      stuck.ActionDelete,
			Description: "shorten the grace period of the pod, if it may be stopped sooner",
			Command:     stuck.Kubectlf(last.Namespace, "delete pod %s --grace-period=30 --wait=false", last.Name),
		}}
	}
	return evidence, fix
}

// longGracePeriod is how long a wait is before a step to shorten it is given.
const longGracePeriod = 2 * time.Minute

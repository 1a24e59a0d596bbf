package cause

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerReferencesCycle is objects that own each other, or one that owns
// itself, all deleted in the foreground: each waits for the next.
var OwnerReferencesCycle = kit.Cause{
	ID:    "owner-references-circle",
	Title: "Objects own each other in a circle, and each waits for the next to go first",
	Doc: kit.Doc{
		Symptoms: "Objects with the finalizer `foregroundDeletion` name each other in `metadata.ownerReferences` with `blockOwnerDeletion: true`, or one names itself.",
		Why:      "An object that is deleted in the foreground waits for all that it owns. The garbage collector opens such a circle when it deletes a member of it by itself (attemptToDeleteItem in kubernetes/pkg/controller/garbagecollector), but not when all of them were deleted in the foreground by somebody else before it looked: then it waits for ever.",
		Fix:      "Take the owner references off one of them. It is being deleted already, so nothing else changes.",
		IfForced: "Nothing: every object in the circle is being deleted anyway.",
	},
	Applies: kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		cycle := ownerCycle(view, o)
		if len(cycle) == 0 {
			return nil
		}
		// One speaks for the circle; the others wait for it as dependents do.
		first := slices.MinFunc(cycle, stuck.Compare)
		if first.UID != o.UID {
			return nil
		}
		var names []string
		for _, member := range append(cycle, o) {
			names = append(names, member.Ref())
		}
		return []stuck.Finding{{
			Message:   "waits for itself: " + strings.Join(names, " owns "),
			BlockedBy: first.Culprit(),
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			Evidence:  []string{"each was deleted in the foreground and names its owner with blockOwnerDeletion: true, so each waits for the one it owns"},
			Steps: []stuck.Step{{
				Action:      stuck.ActionChange,
				Description: fmt.Sprintf("open the circle: take the owner references off %s, which is being deleted anyway", first.Ref()),
				Command: stuck.Kubectlf(first.Namespace, "patch %s %s --type=json -p '%s'", first.Type.String(), first.Name,
					`[{"op":"remove","path":"/metadata/ownerReferences"}]`),
			}},
			OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "all that is in the circle is being deleted anyway"},
		}}
	},
}

// ownerCycle are the objects by which an object waits for itself, itself first;
// none where it does not. Only those count that were deleted in the foreground:
// the others do not wait.
func ownerCycle(view *cluster.View, o stuck.Object) []stuck.Object {
	visited := map[types.UID]bool{}
	var walk func(path []stuck.Object) []stuck.Object
	walk = func(path []stuck.Object) []stuck.Object {
		current := path[len(path)-1]
		visited[current.UID] = true
		for _, next := range kit.BlockingDependents(view.Dependents(current), current).Items {
			switch {
			case next.UID == o.UID:
				return path
			case visited[next.UID] || !next.Deleting() || !next.HasFinalizer(metav1.FinalizerDeleteDependents):
			default:
				if cycle := walk(append(slices.Clone(path), next)); cycle != nil {
					return cycle
				}
			}
		}
		return nil
	}
	return walk([]stuck.Object{o})
}

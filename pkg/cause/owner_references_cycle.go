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
// itself, all deleted in the foreground: each waits for its dependent.
var OwnerReferencesCycle = kit.Cause{
	ID:    "owner-references-circle",
	Title: "Owner references form a cycle, and each object waits for its dependent",
	Doc: kit.Doc{
		Symptoms: "Objects with the finalizer `foregroundDeletion` have owner references to each other with `blockOwnerDeletion: true`, or one has a reference to itself.",
		Why:      "An object that is deleted in the foreground waits for its dependents. The garbage collector breaks a cycle of owner references when the garbage collector itself deletes an object in the cycle (attemptToDeleteItem in kubernetes/pkg/controller/garbagecollector). If other clients first deleted all objects in the cycle in the foreground, the garbage collector waits indefinitely.",
		Fix:      "Remove the owner references of one of the objects to the others in the cycle. All objects in the cycle are already being deleted: nothing else changes.",
		IfForced: "Nothing is left behind: every object in the cycle is being deleted.",
	},
	Applies: kit.DeletingWith(metav1.FinalizerDeleteDependents),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		cycle := ownerCycle(view, o)
		if len(cycle) == 0 {
			return nil
		}
		// One stands for the cycle; the others wait for it as for a dependent.
		first := slices.MinFunc(cycle, stuck.Compare)
		if first.UID != o.UID {
			return nil
		}
		var names []string
		for _, member := range append(cycle, o) {
			names = append(names, member.Ref())
		}
		return []stuck.Finding{{
			Message:   "owner references form a cycle: " + strings.Join(names, " owns "),
			BlockedBy: first.Culprit(),
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{metav1.FinalizerDeleteDependents},
			Evidence:  []string{"each was deleted in the foreground and has blockOwnerDeletion: true, so each waits for its dependent"},
			Steps:     []stuck.Step{breakCycle(view, first)},
			OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "every object in the cycle is being deleted"},
		}}
	},
}

// breakCycle removes the owner references by which an object waits for itself, and keeps those to owners
// that do not wait for it.
func breakCycle(view *cluster.View, o stuck.Object) stuck.Step {
	waitedFor := foregroundDependents(view, o)
	inCycle := func(w stuck.OwnerReference) bool { return w.BlockOwnerDeletion && waitedFor[w.UID] != "" }
	var owners []string
	for _, w := range o.Owners {
		if inCycle(w) && !slices.Contains(owners, waitedFor[w.UID]) {
			owners = append(owners, waitedFor[w.UID])
		}
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("break the cycle, of which every object is being deleted: remove the owner reference of %s to %s", o.Ref(), strings.Join(owners, " and ")),
		Command:     kit.RemoveOwnerReferences(o, inCycle),
	}
}

// foregroundDependents are the names, by uid, of an object and of all that it waits for of what was deleted in
// the foreground.
func foregroundDependents(view *cluster.View, o stuck.Object) map[types.UID]string {
	names := map[types.UID]string{o.UID: o.Ref()}
	for queue := []stuck.Object{o}; len(queue) > 0; queue = queue[1:] {
		for _, next := range kit.BlockingDependents(view.Dependents(queue[0]), queue[0]).Items {
			if names[next.UID] == "" && isForegroundDeleted(next) {
				names[next.UID], queue = next.Ref(), append(queue, next)
			}
		}
	}
	return names
}

func isForegroundDeleted(o stuck.Object) bool {
	return o.Deleting() && o.HasFinalizer(metav1.FinalizerDeleteDependents)
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
			case visited[next.UID] || !isForegroundDeleted(next):
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

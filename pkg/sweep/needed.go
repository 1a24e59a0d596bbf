package sweep

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FlagAcceptStuckLater allows to delete what objects that are not deleted need.
const FlagAcceptStuckLater = "--accept-stuck-later"

// KeepNeeded keeps the objects whose deletion takes from others what these need to be deleted later: their controller, its
// permissions, credentials, the server of a webhook. It reports whether there were any.
func KeepNeeded(items []Item, others []preflight.Other) (kept bool) {
	needed := make([][]int, len(others))
	for n, other := range others { // several may need one object
		needed[n] = neededBy(items, other)
	}
	for n, other := range others {
		for _, i := range needed[n] {
			items[i].Action, kept = Keep, true
			items[i].Reason = other.Subject() + " would get stuck when deleted later: " + other.Message + "; delete these first, or allow it with " + FlagAcceptStuckLater
		}
	}
	return kept
}

// neededBy are the objects that are deleted and with which others lose what they need: the one that is at fault, or those of
// its namespace. If there are none, any of them may be meant.
func neededBy(items []Item, other preflight.Other) []int {
	inNamespace := func(o stuck.Object, namespace string) bool {
		return namespace != "" && (o.Namespace == namespace || o.IsNamespace() && o.Name == namespace)
	}
	for _, isNeeded := range []func(stuck.Object) bool{
		other.BlockedBy.WithoutAPIVersion().Names,
		func(o stuck.Object) bool {
			return inNamespace(o, other.BlockedBy.Namespace) || inNamespace(o, other.BackendNamespace)
		},
		func(stuck.Object) bool { return true },
	} {
		var found []int
		for i, item := range items {
			if item.Action == Delete && isNeeded(item.Object) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

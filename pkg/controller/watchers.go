package controller

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The answers to whether anybody watches a type.
const (
	WatchersUnknown = iota
	WatchersNone
	WatchersSome
)

// Watchers reports whether anybody watches a type but the garbage collector, which
// has one watch on every type and shares it with the quota controller. Of
// several API servers one answers for itself, which proves only that there are
// watches. Types of Kubernetes itself are watched by many.
func Watchers(view *cluster.View, t stuck.Type) (answer int, says []string) {
	if stuck.IsBuiltInGroup(t.Group) || !view.CRDMetadata(t).Found() {
		return WatchersUnknown, nil
	}
	n, ok := view.OpenWatches(t)
	baseline, _ := view.OpenWatches(unwatchedType)
	switch {
	case !ok:
		return WatchersUnknown, nil
	case n == 1 && baseline == 0:
		return WatchersSome, []string{fmt.Sprintf("a watch is open on %s, and it is not that of the garbage collector, which has none here", t)}
	case n > 1:
		return WatchersSome, []string{fmt.Sprintf("%d watches are open on %s", n, t)}
	case cluster.HasSeveralAPIServers(view):
		return WatchersUnknown, nil
	}
	return WatchersNone, []string{fmt.Sprintf("nobody but the garbage collector watches %s (the API server's metrics)", t)}
}

// unwatchedType is a type that nobody watches but the garbage collector: from it can be
// told whether that watches anything at this API server.
var unwatchedType = stuck.Type{Version: "v1", Resource: "podtemplates", Kind: "PodTemplate", Namespaced: true}

package controller

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The answers to whether anybody watches a type.
const (
	WatchersUnknown = iota
	// WatchersNone means that no controller watches the type: the garbage collector at most does.
	WatchersNone
	// WatchersEveryType means that as many watches are open as on idle types. Most likely
	// they are those of who watches every type, such as Argo CD; whoever does may leave
	// out this one, so it is no proof that a controller has none.
	WatchersEveryType
	// WatchersUncertain means that one more watch may be open: that of a controller, of
	// somebody who follows the type with kubectl, or of the garbage collector.
	WatchersUncertain
	WatchersSome
)

// Watchers reports whether anybody watches a type but those who watch every type: the
// garbage collector, which has one watch on each and shares it with the quota
// controller, and who follows the whole cluster, such as Argo CD. How many they
// are is read from other types. Of several API servers one answers for itself,
// which proves only that there are watches. Types of Kubernetes itself are
// watched by many.
func Watchers(view *cluster.View, t stuck.Type) (answer int, evidence []string) {
	answer, _, evidence = countWatchers(view, t)
	return answer, evidence
}

// countWatchers also says how many more watches are open than those who watch every type
// have, zero where that cannot be told.
func countWatchers(view *cluster.View, t stuck.Type) (answer, extra int, evidence []string) {
	if stuck.IsBuiltInGroup(t.Group) {
		return WatchersUnknown, 0, nil
	}
	crd := view.CRDMetadata(t)
	if !crd.Found() {
		return WatchersUnknown, 0, nil
	}
	n, ok := view.OpenWatches(t)
	if !ok {
		return WatchersUnknown, 0, nil
	}
	baseline := everyTypeWatches(view, t)
	age := view.Now().Sub(crd.Value.CreationTimestamp.Time)
	// The garbage collector may have no watch on a new type yet.
	isNew := n > 0 && baseline > 0 && age < collectorDelay
	several := cluster.SeveralAPIServersReason(view)
	switch {
	case n > baseline && (isNew || several != "" || baseline == 0):
		return WatchersSome, 0, []string{extraWatchesLine(t, n, baseline)}
	case n > baseline+1:
		return WatchersSome, n - baseline, []string{extraWatchesLine(t, n, baseline)}
	case several != "":
		return WatchersUnknown, 0, []string{several + ", and each counts only its own watches"}
	case n > baseline:
		return WatchersUncertain, 1, []string{extraWatchesLine(t, n, baseline), "the additional watch may be kubectl get -w, or a controller outside the cluster"}
	case isNew:
		return WatchersUncertain, 0, []string{newTypeLine(t, n, age)}
	case n > 1:
		return WatchersEveryType, 0, []string{fmt.Sprintf("%s, no more than on idle types (API server metrics)", openWatchesText(t, n))}
	}
	return WatchersNone, 0, []string{fmt.Sprintf("no controller watches %s (API server metrics)", t)}
}

// TooNewToTell is why nothing can be told yet of who watches a type, empty where something can.
func TooNewToTell(view *cluster.View, t stuck.Type) string {
	if answer, extra, evidence := countWatchers(view, t); answer == WatchersUncertain && extra == 0 {
		return evidence[0]
	}
	return ""
}

// WatchedSiblings are the types of the same API group that a controller is known to watch:
// the one that does not watch the type may be the same.
func WatchedSiblings(view *cluster.View, t stuck.Type) (out []stuck.Type) {
	m, _ := view.Metrics()
	for _, w := range m.Watches {
		sibling, served := view.TypeForResource(schema.GroupResource{Group: w.Group, Resource: w.Resource})
		if !served || w.Group != t.Group || w.Resource == t.Resource || w.Open == 0 || slices.ContainsFunc(out, func(o stuck.Type) bool { return o.Resource == w.Resource }) {
			continue
		}
		if answer, _ := Watchers(view, sibling); answer == WatchersSome || answer == WatchersUncertain {
			out = append(out, sibling)
		}
	}
	slices.SortFunc(out, func(a, b stuck.Type) int { return strings.Compare(a.Resource, b.Resource) })
	return out
}

// collectorDelay is how old a type has to be for the garbage collector to have a watch
// on it: it looks for new types every 30 seconds, after it has waited as long for
// those that it has found (kubernetes/pkg/controller/garbagecollector, Sync).
const collectorDelay = 90 * time.Second

// newTypeLine says why nothing can be told of the watches on a new type, and when it can.
func newTypeLine(t stuck.Type, n int, age time.Duration) string {
	return fmt.Sprintf("%s, and the CRD is %s old: the garbage collector may not watch it yet, so a controller may; look again in %s",
		openWatchesText(t, n), duration.HumanDuration(age), duration.HumanDuration(collectorDelay-age.Truncate(time.Second)))
}

func openWatchesText(t stuck.Type, n int) string {
	if n == 1 {
		return fmt.Sprintf("1 watch is open on %s", t)
	}
	return fmt.Sprintf("%d watches are open on %s", n, t)
}

func extraWatchesLine(t stuck.Type, n, baseline int) string {
	if baseline == 0 {
		return fmt.Sprintf("%s, none of them by the garbage collector (API server metrics)", openWatchesText(t, n))
	}
	return fmt.Sprintf("%s, %d more than on idle types (API server metrics)", openWatchesText(t, n), n-baseline)
}

// rarelyWatchedTypes are types of Kubernetes that hardly anybody watches but those who watch
// every type. None of them is one that Argo CD leaves out by default.
var rarelyWatchedTypes = map[schema.GroupResource]bool{
	podTemplates: true,
	{Group: "apps", Resource: "controllerrevisions"}:                         true,
	{Group: "resource.k8s.io", Resource: "resourceclaimtemplates"}:           true,
	{Group: "storage.k8s.io", Resource: "volumeattributesclasses"}:           true,
	{Group: "storagemigration.k8s.io", Resource: "storageversionmigrations"}: true,
}

var podTemplates = schema.GroupResource{Resource: "podtemplates"}

// minCustomTypes is how many custom types have to be watched by as many for it to be
// believed that others than the garbage collector watch every type: who watches
// all that Kubernetes itself has need not watch these.
const minCustomTypes = 3

// everyTypeWatches is how many watches those have on a type who watch every type, none
// where not even the garbage collector does: the least that are open on any
// other that is comparable. Types of the same maker may have the same controller.
// To take it too low is safe, as a watch then counts that says nothing.
func everyTypeWatches(view *cluster.View, t stuck.Type) int {
	m, _ := view.Metrics()
	open := map[schema.GroupResource]int{}
	for _, w := range m.Watches {
		open[schema.GroupResource{Group: w.Group, Resource: w.Resource}] += w.Open
	}
	least, customTypes := open[podTemplates], 0
	for gr, n := range open {
		isCustom := strings.Contains(gr.Group, ".") && !stuck.IsBuiltInGroup(gr.Group) && parentDomain(gr.Group) != parentDomain(t.Group)
		if n == 0 || !isCustom && !rarelyWatchedTypes[gr] {
			continue // what the garbage collector cannot read, or has not come to, proves nothing
		}
		least = min(least, n)
		if isCustom {
			customTypes++
		}
	}
	if customTypes < minCustomTypes {
		return min(least, 1)
	}
	return least
}

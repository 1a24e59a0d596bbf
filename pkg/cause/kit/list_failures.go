package kit

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ListFailures are the types that the deletion of the object needs to list and
// cannot.
func ListFailures(view *cluster.View, o stuck.Object) []cluster.ListFailure {
	if o.IsNamespace() {
		return view.NamespaceContent(o.Name).Failed
	}
	_, failures := view.CustomResources(o.Name)
	return failures
}

// FindInListFailures is what is wrong with the types that the deletion of the object cannot list. A namespace without conditions
// may be held by a type that cannot be listed elsewhere.
func FindInListFailures(view *cluster.View, o stuck.Object, find func(cluster.ListFailure) (stuck.Finding, bool)) []stuck.Finding {
	findings := findInEach(ListFailures(view, o), find)
	if len(findings) == 0 && o.IsNamespace() && hasNoConditions(view, o) {
		return findInEach(view.UnlistableTypes(), find)
	}
	return findings
}

func findInEach(failures []cluster.ListFailure, find func(cluster.ListFailure) (stuck.Finding, bool)) (findings []stuck.Finding) {
	for _, failure := range failures {
		if f, ok := find(failure); ok {
			findings = append(findings, f)
		}
	}
	return findings
}

// conditionDelay is how late the conditions of a namespace may come before it
// is worth a look at the whole cluster.
const conditionDelay = 20 * time.Second

// hasNoConditions reports whether the namespace controller runs and has not reported
// on the namespace: it may hang in the list of a type that is unreadable
// elsewhere, which is rejected as "storage is (re)initializing" and repeated
// without end (apiserver/pkg/storage/cacher).
func hasNoConditions(view *cluster.View, o stuck.Object) bool {
	ns := view.Namespace(o.Name)
	return ns.Found() && len(ns.Value.Status.Conditions) == 0 && o.StuckDuration(view.Now()) > conditionDelay &&
		ControllerManagerRuns(view)
}

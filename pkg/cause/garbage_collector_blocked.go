package cause

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// collectorSkipsUnlistableSince is the minor version since which the garbage collector
// goes on without the types that it cannot read (kubernetes/kubernetes#125796).
// Up to 1.31 Run and Sync in kubernetes/pkg/controller/garbagecollector/garbagecollector.go
// wait without end until all have been read once, and no worker runs meanwhile.
const collectorSkipsUnlistableSince = 32

// GarbageCollectorBlocked is the garbage collector of an older Kubernetes that
// waits for one type that cannot be listed, and deletes nothing.
var GarbageCollectorBlocked = kit.Cause{
	ID:    "garbage-collector-blocked",
	Title: "The garbage collector waits for a type that cannot be listed (before Kubernetes 1.32)",
	Doc: kit.Doc{
		Symptoms: "Objects of all kinds keep the finalizer `foregroundDeletion` or `orphan`, dependents of deleted objects are left behind, and kube-controller-manager is running. Its log repeats `unable to sync caches for garbage collector`. The problem often begins when kube-controller-manager restarts, or when a type gets a new version, long after the type became unlistable.",
		Why:      "Before Kubernetes 1.32, the garbage collector does nothing until it has listed every type that it watches. The garbage collector lists the types when it starts, and again whenever a type or a version is added. One type whose conversion webhook fails, or that has an object that cannot be decoded, blocks the garbage collector indefinitely. A type that became unlistable later has no effect until kube-controller-manager restarts, or until another version of the type is preferred.",
		Fix:      "Make the type listable again; the garbage collector then starts. Then upgrade to Kubernetes 1.32 or later, where the garbage collector skips types that it cannot list.",
		IfForced: "With `foregroundDeletion`, the dependents are left behind until the garbage collector works again. With `orphan`, the dependents should be kept, but still have an owner reference to the object. The dependents are deleted when the garbage collector works again.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && len(kit.CollectorFinalizers(o)) > 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		minor, ok := view.MinorVersion()
		if !ok || minor >= collectorSkipsUnlistableSince || o.StuckDuration(view.Now()) < kit.GarbageCollectorDelay || !kit.ControllerManagerRuns(view) {
			return nil
		}
		findings := collectorFailures(view, o)
		if len(findings) == 0 || o.HasFinalizer(metav1.FinalizerDeleteDependents) && mayWaitForDependents(view, o) {
			return nil
		}
		for i := range findings {
			garbageCollectorFinding(&findings[i], o, minor)
		}
		return findings
	},
}

// mayWaitForDependents reports whether the object waits for dependents that are being
// deleted, or may do so where the user is not allowed to look. Dependents that
// nobody has deleted yet are themselves not processed by the garbage collector.
func mayWaitForDependents(view *cluster.View, o stuck.Object) bool {
	scoped := view.Scoped()
	deleting, _ := kit.SplitByDeleting(kit.BlockingDependents(scoped.Dependents(o), o).Items)
	if o.Namespace != "" {
		deleting = append(deleting, kit.BlockingDependents(scoped.CrossNamespaceDependents(o), o).Items...)
	}
	gaps := scoped.Gaps()
	view.AddGaps(gaps...)
	return len(deleting) > 0 || slices.ContainsFunc(gaps, func(g stuck.Gap) bool { return g.MissingPermission != nil })
}

// collectorFailures says of each type that the garbage collector cannot read what is
// wrong with it.
func collectorFailures(view *cluster.View, o stuck.Object) []stuck.Finding {
	var findings []stuck.Finding
	for _, failure := range view.UnlistableTypes() {
		t := failure.Type
		// It watches what can be watched, apart from events, and leaves out what
		// was not discovered (GetDeletableResources in its garbagecollector.go,
		// ignoredResources in its graph_builder.go).
		if !t.Watchable || t.Stale || t.Resource == "events" && t.Group == "" {
			continue
		}
		if strings.Contains(apitext.ErrorMessage(failure.Err), apitext.ConversionFailurePrefix) {
			findings = append(findings, kit.ConversionWebhookFinding(view, failure))
		} else if f, ok := kit.RemovedVersionFinding(view, failure); ok {
			findings = append(findings, f)
		} else if u, ok := kit.Unreadable(failure); ok {
			findings = append(findings, kit.UnreadableFinding(view, o, t, u))
		} else if f, ok := kit.ExtensionServerFinding(view, failure); ok {
			findings = append(findings, f)
		}
	}
	return findings
}

// garbageCollectorFinding makes of what is wrong with a type what it means for the
// object.
func garbageCollectorFinding(f *stuck.Finding, o stuck.Object, minor int) {
	f.Message = "the garbage collector is blocked, as " + f.Message
	f.Certainty = stuck.Likely
	f.Verdict = stuck.Blocked
	f.Explains = kit.CollectorFinalizers(o)
	f.WaitsFor = nil
	exclusion := "and no dependent that is being deleted was found"
	if o.HasFinalizer(metav1.FinalizerOrphanDependents) {
		exclusion = "and orphaning dependents waits for nothing else"
	}
	f.Evidence = append(f.Evidence,
		fmt.Sprintf("Kubernetes 1.%d: before 1.%d the garbage collector does nothing until it has listed every type", minor, collectorSkipsUnlistableSince),
		"kube-controller-manager is running, "+exclusion)
	f.Steps = slices.Concat([]stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "see whether the log repeats \"unable to sync caches for garbage collector\"",
		Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep 'garbage collector'",
	}}, f.Steps, []stuck.Step{{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("upgrade to Kubernetes 1.%d or later, where the garbage collector skips such a type", collectorSkipsUnlistableSince),
	}})
	f.OnForce = stuck.Cost{
		Leaves:      stuck.LeakObjects,
		Description: "dependents, if any, are left behind until the garbage collector works again",
	}
	if o.HasFinalizer(metav1.FinalizerOrphanDependents) {
		f.OnForce = stuck.Cost{
			Leaves:      stuck.LeakData,
			Description: "dependents that should be kept are deleted when the garbage collector works again",
		}
	}
}

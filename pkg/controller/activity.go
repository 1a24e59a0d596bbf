package controller

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RunningCandidates are the candidates that run, none where what runs could not be seen.
func RunningCandidates(view *cluster.View, w Controller) []Candidate {
	if w.Alive(view) != stuck.Running {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Candidates), func(c Candidate) bool {
		return CheckHealth(view, c.Workload).Alive != stuck.Running
	})
}

// IsTypeUnwatched reports whether no controller watches the type or has written the object
// since: then no running candidate does the work of one that is down.
func IsTypeUnwatched(view *cluster.View, w Controller) bool {
	if HasWrittenSinceDeletion(view, w) {
		return false
	}
	answer, _ := Watchers(view, w.Object.Type)
	return answer == WatchersNone
}

// IsAbandoned reports whether no controller can be left that might remove the
// finalizer, where no candidate was found, and by what. What could not be examined
// is not gone; nor is what may merely be down, unless something is known to be
// gone. A controller that acted after the deletion is gone only if it is known to have
// been deleted since, nobody else may have acted, and no watch is left. What handles
// types of its own cannot do anything where none of them is served. Doubt is what
// contradicts it, too little to say that it is not so: where who watches is not known,
// or others may act without a watch, that alone is one.
func IsAbandoned(view *cluster.View, w Controller) (ok bool, evidence []string, doubt string) {
	gone := slices.ContainsFunc(w.MissingTargets, func(t MissingTarget) bool { return t.Deleted })
	mayReturn := slices.ContainsFunc(w.OtherActors, func(o OtherActor) bool { return o.NotExaminable || o.NotRunning && !gone })
	wrote := HasWrittenSinceDeletion(view, w)
	if mayReturn || wrote && (!gone || len(w.OtherActors) > 0) {
		return false, nil, ""
	}
	watched, extra, evidence := countWatchers(view, w.Object.Type)
	if wrote && watched != WatchersNone {
		return false, nil, ""
	}
	running := runningPods(w.OtherComponents)
	alone := len(w.OtherActors) == 0 || len(w.MissingTargets) > 0
	switch {
	case watched == WatchersEveryType:
		return alone, evidence, WatchDoubt(w)
	case watched == WatchersNone && !alone:
		return false, nil, ""
	case watched == WatchersNone:
		others, doubt := othersDoubt(w, gone)
		return true, append(evidence, others...), doubt
	case w.NotInstalled != nil && len(w.OtherActors) == 0 && 0 < extra && extra <= running:
		return true, append(evidence, fmt.Sprintf("%s runs and may watch %s", w.OtherComponents[0].Ref()+stuck.InNamespace(w.OtherComponents[0].Namespace), w.Object.Type)), WatchDoubt(w)
	case watched == WatchersUncertain && gone && len(w.OtherActors) == 0:
		return true, evidence, WatchDoubt(w)
	case watched == WatchersUnknown && gone && len(w.OtherActors) == 0:
		return true, evidence, WatchDoubt(w)
	case w.UnservedDomain != "" && alone:
		return true, evidence, WatchDoubt(w)
	case watched == WatchersUnknown && len(evidence) > 0:
		view.AddGaps(stuck.Gap{Source: "watches on " + w.Object.Type.String(), Error: evidence[0]})
	}
	return false, nil, ""
}

// othersDoubt is that others may remove the finalizer, which need no watch for it or restart just now, unless what
// does is known to be gone, or known and not installed, by a name that nothing else has.
func othersDoubt(w Controller, gone bool) (evidence []string, doubt string) {
	unknown := slices.DeleteFunc(slices.Clone(w.OtherActors), func(o OtherActor) bool { return o.IsKnown || w.NotInstalled != nil && !o.IsNamesake })
	if len(unknown) == 0 || gone {
		return nil, ""
	}
	for _, o := range unknown {
		evidence = append(evidence, "possible controller: "+o.Description)
	}
	if more := len(evidence) - stuck.MaxUngrouped; more > 0 {
		evidence = append(evidence[:stuck.MaxUngrouped], fmt.Sprintf("and %d more that may write the object", more))
	}
	return evidence, unknown[0].Description + " may be its controller"
}

// runningPods is how many Pods of some workloads are ready.
func runningPods(workloads []cluster.Workload) int {
	n := 0
	for _, w := range workloads {
		n += w.Ready
	}
	return n
}

// WatchDoubt is what contradicts a controller being gone where a watch is open that
// nothing explains, or where the watches cannot be counted.
func WatchDoubt(w Controller) string {
	return "a controller outside the cluster may watch " + w.Object.Type.String()
}

// WatchEvidence says who may watch the type, where no workload was found and that is
// why the controller is not called gone.
func (o Controller) WatchEvidence(view *cluster.View) []string {
	if len(o.Candidates) > 0 || !o.Complete || o.NonWorkloadRemover() != "" {
		return nil
	}
	if watched, evidence := Watchers(view, o.Object.Type); watched == WatchersUncertain || watched == WatchersSome {
		return evidence
	}
	return nil
}

// HasWrittenSinceDeletion reports whether somebody wrote the status of the object, or whoever
// set the finalizer wrote anything, after the deletion began: then they are, or
// was, there to see it.
func HasWrittenSinceDeletion(view *cluster.View, w Controller) bool {
	return slices.ContainsFunc(Writers(view, w), w.isWrittenSinceDeletion)
}

// HasReportedSinceDeletion is the same without those who set another finalizer of the object: what they write is about
// their own work.
func HasReportedSinceDeletion(view *cluster.View, w Controller) bool {
	return slices.ContainsFunc(Writers(view, w), func(m cluster.FieldManager) bool {
		return w.isWrittenSinceDeletion(m) && !SetsOtherFinalizer(view, w, m.Name)
	})
}

func (o Controller) isWrittenSinceDeletion(m cluster.FieldManager) bool {
	return !o.Object.DeletionTime.IsZero() && m.LastWrite.After(o.Object.DeletionTime) && !IsManualManager(m.Name)
}

// RanInDeletedNamespace reports whether the controller lived in the very namespace
// that is being deleted, and went with it.
func RanInDeletedNamespace(view *cluster.View, w Controller) bool {
	if w.Object.Namespace == "" {
		return false
	}
	ns := view.Namespace(w.Object.Namespace)
	if !ns.Found() || ns.Value.DeletionTimestamp == nil {
		return false
	}
	for _, t := range w.MissingTargets {
		if t.Namespace == w.Object.Namespace {
			return true
		}
	}
	return false
}

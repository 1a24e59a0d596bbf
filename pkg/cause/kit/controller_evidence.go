package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// costWithoutController is what stays behind without the controller of a finalizer: what the
// catalogue says, and unknown where it says nothing.
func CostWithoutController(w controller.Controller) stuck.Cost {
	for _, e := range w.CatalogMatch.Entries {
		if w.CatalogMatch.How != catalog.ByConvention && !w.CatalogMatch.OtherType {
			return stuck.Cost{Leak: leakOf(e.Leak), What: e.LeftBehind}
		}
	}
	return stuck.Cost{Leak: stuck.LeakUnknown, What: fmt.Sprintf("whatever the controller of %s would have cleaned up", w.Finalizer)}
}

func leakOf(l catalog.Leak) stuck.Leak { return stuck.Leak(l.Text()) }

// catalogSteps are the catalogue's steps out, or one that always holds.
func CatalogSteps(w controller.Controller, fallback string) []stuck.Step {
	var steps []stuck.Step
	for _, s := range w.CatalogMatch.Resolution(w.Object.Namespace, w.Object.Name) {
		steps = append(steps, stuck.Step{What: s.What, Command: s.Command})
	}
	if len(steps) == 0 {
		steps = []stuck.Step{{What: fallback}}
	}
	return steps
}

// controllerName is a suspect as the controller of the finalizer: no more than it may be,
// where the clues point at others too.
func ControllerName(w controller.Controller, c controller.Candidate) string {
	if len(w.Candidates) > 1 {
		return fmt.Sprintf("%s in namespace %s, which may be its controller,", c.Ref(), c.Namespace)
	}
	return fmt.Sprintf("its controller %s in namespace %s", c.Ref(), c.Namespace)
}

// cluesLine are the clues that make a workload the owner.
func CluesLine(w controller.Controller, c controller.Candidate) string {
	is := "is"
	if len(w.Candidates) > 1 {
		is = "may be"
	}
	return fmt.Sprintf("it %s the owner because %s", is, strings.Join(c.Clues, "; "))
}

// runningCandidates are the suspects that run, none where what runs could not be seen.
func RunningCandidates(view *cluster.View, w controller.Controller) []controller.Candidate {
	if w.Alive(view) != stuck.Running {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Candidates), func(c controller.Candidate) bool {
		return controller.CheckHealth(view, c.Workload).Alive != stuck.Running
	})
}

// isUnwatched says that nobody watches the type, nor has acted on the object: so
// those suspects that run do not do what one that is down would do.
func IsUnwatched(view *cluster.View, w controller.Controller) bool {
	if HasActed(view, w) {
		return false
	}
	answer, _ := controller.Watchers(view, w.Object.Type)
	return answer == controller.WatchersNone
}

// isAbandoned reports whether nobody can be left who might take the finalizer off,
// where no suspect was found, and by what. What could not be examined is not
// gone; nor is what may merely be down, unless something is known to be gone.
func IsAbandoned(view *cluster.View, w controller.Controller) (ok bool, says []string) {
	gone := slices.ContainsFunc(w.MissingTargets, func(t controller.MissingTarget) bool { return t.Deleted })
	mayReturn := slices.ContainsFunc(w.OtherActors, func(o controller.OtherActor) bool { return o.NotExaminable || o.NotRunning && !gone })
	if mayReturn || HasActed(view, w) {
		return false, nil
	}
	watched, says := controller.Watchers(view, w.Object.Type)
	switch {
	case watched == controller.WatchersNone:
		return len(w.OtherActors) == 0 || len(w.MissingTargets) > 0, says
	case watched == controller.WatchersUnknown && gone && len(w.OtherActors) == 0:
		return true, says
	case watched == controller.WatchersUnknown && !stuck.IsBuiltInGroup(w.Object.Type.Group) && cluster.HasSeveralAPIServers(view):
		view.AddGaps(stuck.Gap{Source: "watches on " + w.Object.Type.String(), Error: "there are several API servers, and each counts its own alone"})
	}
	return false, nil
}

// hasActed reports whether somebody wrote the status of the object, or whoever
// set the finalizer wrote anything, after the deletion began: then he is, or
// was, there to see it.
func HasActed(view *cluster.View, w controller.Controller) bool {
	for _, m := range append(view.StatusManagers(w.Object), w.Setters...) {
		if !w.Object.DeletionTime.IsZero() && m.LastWrite.After(w.Object.DeletionTime) && !controller.IsManualManager(m.Name) {
			return true
		}
	}
	return false
}

// ranInDeletedNamespace reports whether the controller lived in the very namespace
// that is being deleted, and went with it.
func RanInDeletedNamespace(view *cluster.View, w controller.Controller) bool {
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

func LogsCommand(c controller.Candidate, flags string) string {
	return KubectlCommand(c.Namespace, "logs %s%s", c.Ref(), flags)
}

// searchEvidence are the facts and traces of a search that found no workload.
func SearchEvidence(w controller.Controller) []string {
	lines := append([]string{}, w.Facts...)
	for _, t := range w.MissingTargets {
		lines = append(lines, t.Description)
	}
	return lines
}

// expiredLeaderships are the locks of a workload if nobody holds any of them, and
// whether that could be seen.
func ExpiredLeaderships(view *cluster.View, c controller.Candidate) (lost []controller.Leadership, known bool) {
	lost, known = controller.Leaderships(view, c.Workload)
	for _, l := range lost {
		if !l.Lost {
			return nil, known
		}
	}
	return lost, known
}

package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerNotWatching is a controller that runs and does not watch the type.
var ControllerNotWatching = kit.Cause{
	ID:    "controller-not-watching",
	Title: "The controller of a finalizer runs, but does not watch the type",
	Doc: kit.Doc{
		Symptoms: "The pods of the controller are ready, and the API server metrics count no watch on the type except that of the garbage collector.",
		Why:      "The controller does not handle this type, its feature for this type is disabled, its version does not have the type, or one of its watches ended and was not restarted while the others go on: the pod stays ready, and its Lease is renewed.",
		Fix:      "Search the log of the controller for the type; restart the controller.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if !w.Complete || len(candidates) == 0 || !controller.IsTypeUnwatched(view, w) || hasOtherReason(view, w, candidates) {
			return nil
		}
		reported, all := kit.ReportedErrors(view, w)
		if len(reported) > 0 {
			return nil // it tries, so it has seen the object
		}
		_, says := controller.Watchers(view, w.Object.Type)
		if siblings := controller.WatchedSiblings(view, w.Object.Type); len(siblings) > 0 {
			says = append(says, fmt.Sprintf("a watch is open on %s of the same API group, so the watch on %s may have ended by itself", siblings[0], w.Object.Type))
		}
		var out []stuck.Finding
		for _, c := range candidates {
			f := stuck.Finding{
				Message:   fmt.Sprintf("%s runs, but does not watch %s", kit.ControllerName(w, c), w.Object.Type),
				BlockedBy: c.Culprit(),
				Certainty: stuck.Likely,
				Verdict:   stuck.Blocked,
				Evidence:  slices.Concat(says, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
				Steps: []stuck.Step{
					{Action: stuck.ActionCheck, Description: "read in the log of " + c.Ref() + " what happens to " + w.Object.Type.String(), Command: c.LogsCommand()},
					{Action: stuck.ActionChange, Description: "restart " + c.Ref(), Command: stuck.Kubectlf(c.Namespace, "rollout restart %s", c.Ref())},
				},
				OnForce: kit.CostWithoutController(w),
			}
			if !all {
				f.Steps = nil // it may try, and report an error that could not be read
			}
			out = append(out, f)
		}
		return out
	},
}

// hasOtherReason reports whether there is another reason why the controller does not
// act, from which it follows that it does not watch.
func hasOtherReason(view *cluster.View, w controller.Controller, candidates []controller.Candidate) bool {
	for _, c := range candidates {
		missing, known := controller.MissingVerbs(view, c.Workload, w)
		scope := controller.WatchScopeOf(c.Workload, w)
		outOfScope := scope != nil && w.Object.Namespace != "" && !scope.Contains(w.Object.Namespace)
		lost, seen := controller.ExpiredLeaderships(view, w, c)
		held, whole := controller.LeaderElsewhere(view, c.Workload)
		disabled := controller.DisabledSettings(c.Workload, w)
		if !known || !seen || !whole || len(missing) > 0 || outOfScope || len(lost) > 0 || held != nil || len(disabled) > 0 {
			return true
		}
	}
	return false
}

package health

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// informerProblem is the problem of an informer that did not sync, lost its watch, is
// behind, or was interrupted.
func (c *checker) informerProblem(i *informerResult) (stuck.Problem, bool) {
	given := c.Duration
	problem := stuck.Problem{Subject: typeSubject(i.Type.String())}
	if len(i.Errors) > 0 {
		problem.Evidence = append(problem.Evidence, "last error of the informer: "+apitext.ErrorMessage(i.Errors[len(i.Errors)-1]))
	}
	switch {
	case i.SyncDuration == 0 && i.streaming && len(i.Errors) == 0 && c.streams()[i.Type.GVR()].State == streamEndless:
		// More time does not help: the informer waits for the end of the list without a limit.
		problem = c.streamProblem(c.streams()[i.Type.GVR()])
		problem.Reason = "informer-stream-without-end"
		problem.Message = fmt.Sprintf("the informer of %s does not sync: its streamed list never ends", i.Type)
	case i.SyncDuration == 0:
		problem.State, problem.Reason = stuck.Unhealthy, "informer-not-synced"
		problem.Message = fmt.Sprintf("the informer of %s did not sync within %s", i.Type, given)
		problem.Impact = []string{fmt.Sprintf("a controller that watches %s does not start its workers, for any of its types", i.Type)}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "does the informer sync in a longer time?", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 6*given)}}
	case i.disconnected:
		problem.State, problem.Reason = stuck.Unhealthy, "informer-lost"
		problem.Message = fmt.Sprintf("the informer of %s lost its watch and did not reconnect within %s", i.Type, given)
		problem.Impact = []string{noEventsImpact}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "does the API server respond again?", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 2*given)}}
	case i.Behind != "":
		problem.State, problem.Reason = stuck.Unhealthy, "informer-behind"
		problem.Message = fmt.Sprintf("the informer of %s synced, but receives no changes", i.Type)
		problem.Evidence = append(problem.Evidence, i.Behind)
		problem.Impact = []string{noEventsImpact}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("does the watch on %s work?", i.Type), Command: stuck.Shellf("kubectl finalizers health %s --check watch", i.Type)}}
	case i.wasInterrupted():
		problem.State, problem.Reason = stuck.Warning, "informer-interrupted"
		problem.Message = fmt.Sprintf("the informer of %s was interrupted and recovered", i.Type)
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("repeated %s and %s", countWatches(max(0, i.Watches-1)), stuck.Count(max(0, i.Lists-1), "list")))
		problem.Impact = []string{"controllers see no changes during an interruption, and list all objects after it"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "did the API server restart, or does a proxy before it close connections?"}}
	default:
		return stuck.Problem{}, false
	}
	return problem, true
}

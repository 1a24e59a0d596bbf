package health

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// informerProblem is what is wrong with an informer that never had everything,
// or that was interrupted and came back.
func informerProblem(i *informerResult, given time.Duration) (stuck.Problem, bool) {
	problem := stuck.Problem{Subject: typeSubject(i.Type.String())}
	if len(i.Errors) > 0 {
		problem.Evidence = append(problem.Evidence, "its last error: "+apitext.ErrorMessage(i.Errors[len(i.Errors)-1]))
	}
	switch {
	case i.SyncDuration == 0:
		problem.State, problem.Reason = stuck.Unhealthy, "informer-not-synced"
		problem.Summary = fmt.Sprintf("the informer on %s did not get in sync within %s", i.Type, given)
		problem.Impact = []string{"a controller that waits for this informer does not start to work, on any of its types"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "if it is merely slow, give it more time", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 6*given)}}
	case i.disconnected:
		problem.State, problem.Reason = stuck.Unhealthy, "informer-lost"
		problem.Summary = fmt.Sprintf("the informer on %s lost its watch, and had not got it back after %s", i.Type, given)
		problem.Impact = []string{noEventsImpact}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether the API server is back, and try again", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 2*given)}}
	case i.Behind != "":
		problem.State, problem.Reason = stuck.Unhealthy, "informer-behind"
		problem.Summary = fmt.Sprintf("the informer on %s is in sync, and does not follow", i.Type)
		problem.Evidence = append(problem.Evidence, i.Behind)
		problem.Impact = []string{noEventsImpact}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see what its watch does", Command: stuck.Shellf("kubectl finalizers health %s --check watch", i.Type)}}
	case i.wasInterrupted():
		problem.State, problem.Reason = stuck.Warning, "informer-interrupted"
		problem.Summary = fmt.Sprintf("the informer on %s was interrupted, and recovered", i.Type)
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("%s opened anew, %s made anew", countWatches(max(0, i.Watches-1)), stuck.Count(max(0, i.Lists-1), "list")))
		problem.Impact = []string{"controllers pause as long as an interruption lasts, and cost the API server a list afterwards"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether the API server restarted, or what cuts connections to it"}}
	default:
		return stuck.Problem{}, false
	}
	return problem, true
}

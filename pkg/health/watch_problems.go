package health

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchProblem is the problem of a faulty watch.
func (c *checker) watchProblem(w watchResult) stuck.Problem {
	subject := w.Type.String()
	problem := stuck.Problem{State: stuck.Unhealthy, Reason: "watch-" + string(w.Fault), Subject: typeSubject(subject), Impact: []string{noEventsImpact}}
	if w.Err != nil {
		problem.Evidence = append(problem.Evidence, apitext.ErrorMessage(w.Err))
	}
	switch w.Fault {
	case faultRejected:
		problem.Message = "the watch on " + subject + " is rejected"
		problem.Steps = rejectedWatchSteps(w)
	case faultFailed:
		problem.Message = "the watch on " + subject + " ends with an error"
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "what does the log of the API server say? Does a proxy before it change responses?"}}
	case faultSilent:
		problem.Message = "the watch on " + subject + " is open, but nothing arrives"
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("no event, no bookmark and no end within %s; the request asked for a bookmark and an end", c.Duration+lateTolerance))
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "does it work without the proxy or firewall before the API server? It may buffer responses, or drop idle connections", Command: "kubectl finalizers health --check watch --server=https://ADDRESS-OF-ONE-API-SERVER:6443"}}
	case faultCut:
		problem.Message = fmt.Sprintf("the watch on %s ended after %s instead of %s", subject, w.Ended.Round(100*time.Millisecond), c.Duration)
		problem.Impact = []string{"controllers that connect the same way restart their watches each time, and may list all objects again"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "did the API server restart just now? If not, raise the idle timeout of the proxy or load balancer before it above 60s"}}
	case faultExpired:
		problem.State = stuck.Warning
		problem.Message = "the watch on " + subject + " could not start at the resourceVersion of the list"
		problem.Impact = []string{"controllers of this type list all objects again and again"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "is etcd compacted too often, or the watch cache of the API server too small?"}}
	}
	return problem
}

// noEventsImpact is what does not work where a watch does not.
const noEventsImpact = "controllers receive no deletions of this type, so they remove no finalizers; the garbage collector and namespace deletion may stall"

// rejectedWatchSteps are the steps for a watch that is rejected.
func rejectedWatchSteps(w watchResult) []stuck.Step {
	return []stuck.Step{{Action: stuck.ActionCheck, Description: "read the whole error", Command: stuck.Shellf("kubectl get %s -A --watch-only --request-timeout=5s", w.Type)}}
}

package health

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchProblem is what a fault of a watch means.
func (c *checker) watchProblem(w watchResult) stuck.Problem {
	subject := w.Type.String()
	problem := stuck.Problem{State: stuck.Unhealthy, Reason: "watch-" + string(w.Fault), Subject: typeSubject(subject), Impact: []string{noEventsImpact}}
	if w.Err != nil {
		problem.Evidence = append(problem.Evidence, apitext.ErrorMessage(w.Err))
	}
	switch w.Fault {
	case faultRefused:
		problem.Summary = "the watch on " + subject + " is refused"
		problem.Steps = refusedWatchFix(w)
	case faultFailed:
		problem.Summary = "the watch on " + subject + " ends with an error"
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see what the API server's log says of it, and whether something between it and you changes what it sends"}}
	case faultSilent:
		problem.Summary = "the watch on " + subject + " is open, and nothing comes through it"
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("no event, no bookmark and no end in %s, though the API server was asked for all three", c.Duration+lateTolerance))
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "look for what stands between client and API server and holds answers back (a proxy that buffers, a firewall that forgets idle connections), and try without it", Command: "kubectl finalizers health --check watch --server=https://ADDRESS-OF-ONE-API-SERVER:6443"}}
	case faultCut:
		problem.Summary = fmt.Sprintf("the watch on %s was cut off after %s, and %s were asked for", subject, w.Ended.Round(100*time.Millisecond), c.Duration)
		problem.Impact = []string{"controllers that sit behind the same way have to begin their watches anew each time, and list everything again if they were away too long"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether the API server restarted just now; if not, raise the idle timeout of the proxy or load balancer before it above 60s"}}
	case faultExpired:
		problem.State = stuck.Warning
		problem.Summary = "the watch on " + subject + " could not begin where the list ended"
		problem.Impact = []string{"controllers of this type list everything again and again"}
		problem.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether etcd is compacted too often, or the API server's watch cache for it is too small"}}
	}
	return problem
}

// noEventsImpact is what a watch that does not work does to controllers.
const noEventsImpact = "controllers do not hear of deletions, so finalizers stay; the garbage collector and namespace deletion stall on it"

// refusedWatchFix says what to do about a watch that is refused.
func refusedWatchFix(w watchResult) []stuck.Step {
	return []stuck.Step{{Action: stuck.ActionCheck, Description: "see the whole error", Command: stuck.Shellf("kubectl get %s -A --watch-only --request-timeout=5s", w.Type)}}
}

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
	a := stuck.Problem{Subject: typeSubject(i.Type.String())}
	if len(i.Errors) > 0 {
		a.Evidence = append(a.Evidence, "its last error: "+apitext.ErrorMessage(i.Errors[len(i.Errors)-1]))
	}
	switch {
	case i.SyncDuration == 0:
		a.State, a.Reason = stuck.Unhealthy, "informer-not-synced"
		a.Summary = fmt.Sprintf("the informer on %s did not get in sync within %s", i.Type, given)
		a.Impact = []string{"a controller that waits for this informer does not start to work, on any of its types"}
		a.Fix = []stuck.Step{{What: "if it is merely slow, give it more time", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 6*given)}}
	case i.disconnected:
		a.State, a.Reason = stuck.Unhealthy, "informer-lost"
		a.Summary = fmt.Sprintf("the informer on %s lost its watch, and had not got it back after %s", i.Type, given)
		a.Impact = []string{noEventsImpact}
		a.Fix = []stuck.Step{{What: "see whether the API server is back, and try again", Command: stuck.Shellf("kubectl finalizers health %s --check informers --for %s", i.Type, 2*given)}}
	case i.Behind != "":
		a.State, a.Reason = stuck.Unhealthy, "informer-behind"
		a.Summary = fmt.Sprintf("the informer on %s is in sync, and does not follow", i.Type)
		a.Evidence = append(a.Evidence, i.Behind)
		a.Impact = []string{noEventsImpact}
		a.Fix = []stuck.Step{{What: "see what its watch does", Command: stuck.Shellf("kubectl finalizers health %s --check watch", i.Type)}}
	case i.wasInterrupted():
		a.State, a.Reason = stuck.Warning, "informer-interrupted"
		a.Summary = fmt.Sprintf("the informer on %s was interrupted, and recovered", i.Type)
		a.Evidence = append(a.Evidence, fmt.Sprintf("%s opened anew, %s made anew", watches(max(0, i.Watches-1)), plural(max(0, i.Lists-1), "list")))
		a.Impact = []string{"controllers pause as long as an interruption lasts, and cost the API server a list afterwards"}
		a.Fix = []stuck.Step{{What: "see whether the API server restarted, or what cuts connections to it"}}
	default:
		return stuck.Problem{}, false
	}
	return a, true
}

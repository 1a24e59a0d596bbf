package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// held says whether there are finalizers whose removal could be refused.
func held(o stuck.Object) bool { return o.Deleting() && !o.Ghost && len(o.Finalizers) > 0 }

// refused tries to take the object's finalizers off, and gives the answer if
// it is a refusal of this kind.
func refused(see *cluster.View, o stuck.Object, by cluster.RefusedBy) (cluster.Trial, bool) {
	t := see.Probe(o)
	return t, t.Refusal != nil && t.Refusal.By == by
}

// refusal is a finding that a write was refused, in what all of them share.
// Whoever is to remove the finalizers has to be let through first, so it
// accounts for all of them.
func refusal(o stuck.Object, t cluster.Trial, certain bool) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  o.Finalizers,
		Evidence:  []string{tried(t)},
		IfForced: stuck.Cost{
			Leak: stuck.LeakUnknown,
			What: fmt.Sprintf("whatever the controller of %s would have cleaned up; and while this lasts, force is refused too", names(o.Finalizers)),
		},
	}
	if certain {
		f.Certainty = stuck.Proven
	}
	return f
}

// tried says what was tried, and what the answer was.
func tried(t cluster.Trial) string {
	asked := fmt.Sprintf("a dry run that takes %s off %s is refused: %s", names(t.Object.Finalizers), t.Object.Ref(), t.Refusal.Says)
	if t.Others {
		asked += fmt.Sprintf(" (%s was tried for all that are alike)", t.Object.Name)
	}
	return asked
}

// names are names in a sentence.
func names(all []string) string { return strings.Join(all, " and ") }

// personal says whether CEL expressions ask who sends a request: then what is
// refused to one may be allowed to another
// (k8s.io/apiserver/pkg/admission/plugin/cel/compile.go names the variables).
func personal(expressions []string) bool {
	for _, e := range expressions {
		if strings.Contains(e, "userInfo") || strings.Contains(e, "authorizer") {
			return true
		}
	}
	return false
}

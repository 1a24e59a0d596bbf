package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// hasRemovableFinalizers reports whether there are finalizers whose removal could be refused.
func hasRemovableFinalizers(o stuck.Object) bool {
	return o.Deleting() && !o.NamespaceMissing && len(o.Finalizers) > 0
}

// probeRejection tries to take the object's finalizers off, and gives the answer if
// it is a refusal of this kind.
func probeRejection(view *cluster.View, o stuck.Object, by apitext.RejectedBy) (cluster.ProbeResult, bool) {
	t := view.Probe(o)
	return t, t.Rejection != nil && t.Rejection.By == by
}

// rejectionFinding is a finding that a write was refused, in what all of them share.
// Whoever is to remove the finalizers has to be let through first, so it
// accounts for all of them.
func rejectionFinding(o stuck.Object, t cluster.ProbeResult, certain bool) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  o.Finalizers,
		Evidence:  []string{probeEvidence(t)},
		IfForced: stuck.Cost{
			Leak: stuck.LeakUnknown,
			What: fmt.Sprintf("whatever the controller of %s would have cleaned up; and while this lasts, force is refused too", joinNames(o.Finalizers)),
		},
	}
	if certain {
		f.Certainty = stuck.Proven
	}
	return f
}

// probeEvidence says what was tried, and what the answer was.
func probeEvidence(t cluster.ProbeResult) string {
	text := fmt.Sprintf("a dry run that takes %s off %s is refused: %s", joinNames(t.Object.Finalizers), t.Object.Ref(), t.Rejection.Message)
	if t.Representative {
		text += fmt.Sprintf(" (%s was tried for all that are alike)", t.Object.Name)
	}
	return text
}

// joinNames are names in a sentence.
func joinNames(all []string) string { return strings.Join(all, " and ") }

// dependsOnUser reports whether CEL expressions ask who sends a request: then what is
// refused to one may be allowed to another
// (k8s.io/apiserver/pkg/admission/plugin/cel/compile.go names the variables).
func dependsOnUser(expressions []string) bool {
	for _, e := range expressions {
		if strings.Contains(e, "userInfo") || strings.Contains(e, "authorizer") {
			return true
		}
	}
	return false
}

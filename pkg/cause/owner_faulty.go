package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// faulty is the finding that the owner has a fault, none where a suspect runs
// and may be at work, has another fault, or not every clue could be looked at.
func faulty(see *cluster.View, w owner.Owner, fault owner.Fault, words string, fix func(owner.Candidate) []stuck.Step) []stuck.Finding {
	alive := w.Alive(see)
	idle := alive == stuck.AliveYes && len(w.Suspects) > 1 && unwatched(see, w)
	if !w.Complete || alive != stuck.AliveNo && !idle {
		return nil
	}
	var out []stuck.Finding
	for _, c := range w.Suspects {
		health := owner.Examine(see, c.Workload)
		if health.Fault != fault || inDyingNamespace(see, w, c) {
			continue
		}
		out = append(out, stuck.Finding{
			Summary:   its(w, c) + " " + words,
			Culprit:   c.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  append(health.Says, because(w, c)),
			Fix:       fix(c),
			IfForced:  leaves(w),
		})
	}
	return out
}

// inDyingNamespace says whether a controller lives in the namespace of the
// object, and that is being deleted: then it is of no use to repair it.
func inDyingNamespace(see *cluster.View, w owner.Owner, c owner.Candidate) bool {
	ns := see.Namespace(c.Namespace)
	return c.Namespace == w.Object.Namespace && ns.Found() && ns.Value.DeletionTimestamp != nil
}

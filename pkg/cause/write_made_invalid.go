package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteMadeInvalid is an object of Kubernetes' own whose every update is changed on the
// way by something that changes what may not be changed.
var WriteMadeInvalid = kit.Cause{
	ID:    "update-made-invalid",
	Title: "The finalizers cannot be removed because something changes immutable fields on every update",
	Doc: kit.Doc{
		Symptoms: "An update of a Pod or a Job that touches its metadata alone fails with `spec...: Forbidden: pod updates may not add or remove containers`, `may not change fields other than ...` or `field is immutable`.",
		Why:      "A mutating webhook or a MutatingAdmissionPolicy is shown updates too, and adds a container, a variable or an affinity to an object that was created without it, because the webhook was down or did not exist then. A LimitRange or an admission plugin of the API server can do the same. So no update is valid, that of the object's own controller included.",
		Fix:      "Take UPDATE out of the rules of the webhook or of the policy: what it adds can only be added when the object is created.",
		IfForced: "A forced removal is an update like any other and is rejected too. So is `kubectl edit`.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.ValidationFailed)
		if !ok || !kit.HasImmutableSpecError(o, t.Rejection) {
			return nil
		}
		f := kit.RejectionFinding(o, t, false)
		f.BlockedBy = o.Culprit()
		f.Evidence = append(f.Evidence, "the dry run changes metadata alone, so something else changed the rest on the way")
		mutators := backend.MutatorsOfUpdate(view, t.Object)
		if len(mutators.Items) == 1 {
			f.BlockedBy = mutators.Items[0].Culprit
		}
		f.Message = fmt.Sprintf("every update of it is rejected: %s (%s)", mutatorsClause(mutators, o), kit.InvalidFields(t.Rejection))
		for _, m := range mutators.Items {
			line := fmt.Sprintf("%s is shown updates of %s here and may change them", m.Ref, o.Type)
			if m.Conditional {
				line += ", if its matchConditions match"
			}
			f.Evidence, f.Steps = append(f.Evidence, line), append(f.Steps, m.Fix)
		}
		if len(mutators.Items) == 0 && mutators.Complete {
			f.Evidence = append(f.Evidence, "no mutating webhook and no MutatingAdmissionPolicy is shown updates of it: a LimitRange, an admission plugin of the API server or the object itself can do the same")
			f.Steps = []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "see whether a LimitRange sets defaults that the object does not have; if so, delete it until the object is gone",
				Command:     stuck.Kubectlf(o.Namespace, "get limitranges -o yaml"),
			}}
		}
		return []stuck.Finding{f}
	},
}

// mutatorsClause says what changes an object on update.
func mutatorsClause(mutators cluster.List[backend.Mutator], o stuck.Object) string {
	switch {
	case len(mutators.Items) == 1:
		return mutators.Items[0].Ref + " changes it"
	case len(mutators.Items) > 1:
		return fmt.Sprintf("one of %d webhooks and policies that are shown updates of %s changes it", len(mutators.Items), o.Type)
	}
	return "something changes it on the way"
}

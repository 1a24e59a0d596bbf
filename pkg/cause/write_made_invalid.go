package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteMadeInvalid is an object of Kubernetes itself whose updates are rejected because
// something changes immutable fields in each.
var WriteMadeInvalid = kit.Cause{
	ID:    "update-made-invalid",
	Title: "A mutation on update changes immutable fields, so the finalizers cannot be removed",
	Doc: kit.Doc{
		Symptoms: "An update of a Pod or a Job that changes only its metadata fails with `spec...: Forbidden: pod updates may not add or remove containers`, `may not change fields other than ...` or `field is immutable`.",
		Why:      "A mutating webhook or a MutatingAdmissionPolicy matches updates too. The webhook or the policy adds a container, a variable or an affinity to an object that was created without this field, because the webhook was unreachable or did not exist at creation. An admission plugin, or a policy that the API server reads from a file, can do the same. A LimitRange does not: it sets defaults only on new Pods. Every update is then invalid, including the updates of the controller.",
		Fix:      "Remove UPDATE from the rules of the webhook or the policy: these fields can only be set when the object is created.",
		IfForced: "A forced removal is an update and is rejected too. So is `kubectl edit`.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.ValidationFailed)
		if !ok || !kit.HasImmutableSpecError(o, t.Rejection) {
			return nil
		}
		f := kit.RejectionFinding(o, t, false)
		f.BlockedBy = o.Culprit()
		f.Evidence = append(f.Evidence, "the dry run changes metadata only, so something in the API server changes the spec")
		mutators := backend.MutatorsOfUpdate(view, t.Object)
		if len(mutators.Items) == 1 {
			f.BlockedBy = mutators.Items[0].Culprit
		}
		f.Message = fmt.Sprintf("%s changes %s on every update", mutatorsText(mutators, o), kit.InvalidFields(t.Rejection))
		for _, m := range mutators.Items {
			line := fmt.Sprintf("%s matches updates of %s, and may change them", m.Ref, o.Type)
			if len(mutators.Items) == 1 && mutators.Complete {
				line = fmt.Sprintf("%s is the only webhook or policy that may change %s on update", m.Ref, o.Type)
			}
			if m.Conditional {
				line += " (depends on matchConditions)"
			}
			f.Evidence, f.Steps = append(f.Evidence, line), append(f.Steps, m.Fix)
		}
		if len(mutators.Items) == 0 && mutators.Complete {
			f.Evidence = append(f.Evidence, "no mutating webhook or MutatingAdmissionPolicy matches updates; an admission plugin, or a policy that the API server reads from a file, may")
			f.Steps = []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "see which admission plugins and files the API servers are started with (--enable-admission-plugins, --admission-control-config-file), and read their logs",
			}}
		}
		return []stuck.Finding{f}
	},
}

// mutatorsText is what changes an object on update.
func mutatorsText(mutators cluster.List[backend.Mutator], o stuck.Object) string {
	switch {
	case len(mutators.Items) == 1:
		return mutators.Items[0].Ref
	case len(mutators.Items) > 1:
		return fmt.Sprintf("one of %d webhooks and policies that match %s", len(mutators.Items), o.Type)
	}
	return "something"
}

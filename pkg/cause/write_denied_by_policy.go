package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteDeniedByPolicy is a ValidatingAdmissionPolicy that does not let the
// finalizers be removed.
var WriteDeniedByPolicy = kit.Cause{
	ID:    "write-denied-by-policy",
	Title: "The finalizers cannot be removed because a ValidatingAdmissionPolicy forbids it",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `ValidatingAdmissionPolicy ... denied request`.",
		Why:      "The policy looks at updates too, and the object does not fulfil it: mostly it was written before the policy was, or fulfilled it with something that is gone already.",
		Fix:      "Do what the message asks for, or let the policy pass what has a deletionTimestamp: a matchCondition `object == null || !has(object.metadata.deletionTimestamp)`.",
		IfForced: "A forced removal is a write like any other and is denied too.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.PolicyDenied)
		if !ok {
			return nil
		}
		policy := view.ValidatingAdmissionPolicy(t.Rejection.Name)
		certain := policy.Found() && !t.Representative && !backend.DependsOnUser(policy.Value.Expressions())
		f := kit.RejectionFinding(o, t, certain)
		f.Summary = fmt.Sprintf("it may not be updated: validatingadmissionpolicy/%s says: %s", t.Rejection.Name, t.Rejection.Message)
		f.Culprit = stuck.Culprit{Kind: "ValidatingAdmissionPolicy", Name: t.Rejection.Name}
		if t.Rejection.Binding != "" {
			f.Evidence = append(f.Evidence, "validatingadmissionpolicybinding/"+t.Rejection.Binding+" puts it in force")
		}
		f.Fix = []stuck.Step{{What: "do what it asks for; or see the policy", Command: stuck.Shellf("kubectl get validatingadmissionpolicy %s -o yaml", t.Rejection.Name)}}
		if policy.Found() {
			f.Fix = append(f.Fix, exemptStep(*policy.Value))
		}
		return []stuck.Finding{f}
	},
}

// exemptStep is the change to a policy that lets pass what is being deleted.
func exemptStep(policy cluster.ValidatingAdmissionPolicy) stuck.Step {
	condition := `{"name":"not-being-deleted","expression":"object == null || !has(object.metadata.deletionTimestamp)"}`
	path := "/spec/matchConditions/-"
	if len(policy.Spec.MatchConditions) == 0 {
		condition, path = "["+condition+"]", "/spec/matchConditions"
	}
	return stuck.Step{
		What:    "or have it look only at what is not being deleted",
		Command: stuck.Shellf(`kubectl patch validatingadmissionpolicy %s --type=json -p '[{"op":"add","path":"%s","value":%s}]'`, policy.Name, path, condition),
	}
}

package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteDeniedByPolicy is an admission policy that does not let the finalizers be
// removed.
var WriteDeniedByPolicy = kit.Cause{
	ID:    "write-denied-by-policy",
	Title: "The finalizers cannot be removed because an admission policy denies it",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `ValidatingAdmissionPolicy ... denied request`, or with `policy ... denied request` of a MutatingAdmissionPolicy.",
		Why:      "The policy looks at updates too, and the object does not fulfil it: mostly it was written before the policy was, or fulfilled it with something that is gone already. A MutatingAdmissionPolicy denies an update when its expression fails, because a field or a label that it reads is not there. A policy whose name ends in `.static.k8s.io` comes from a file on the control plane: it is no object of the API.",
		Fix:      "Do what the message asks for, or let the policy pass what has a deletionTimestamp: a matchCondition `object == null || !has(object.metadata.deletionTimestamp)`.",
		IfForced: "A forced removal is a write like any other and is denied too.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.PolicyDenied)
		if !ok || t.Rejection.LacksParams() {
			return nil
		}
		r, static := t.Rejection, apitext.IsStaticPolicy(t.Rejection.Name)
		policy := cluster.Answer[cluster.AdmissionPolicy]{}
		if !static {
			policy = view.AdmissionPolicy(r.PolicyKind, r.Name)
		}
		certain := policy.Found() && !t.Representative && !backend.DependsOnUser(policy.Value.Expressions())
		f := kit.RejectionFinding(o, t, certain)
		f.Message = fmt.Sprintf("it may not be updated: %s says: %s", kit.PolicyRef(r), r.Message)
		f.BlockedBy = stuck.Culprit{Kind: r.PolicyKind, Name: r.Name}
		if r.PolicyKind == apitext.MutatingPolicy {
			f.Message = fmt.Sprintf("it cannot be updated: %s fails: %s", kit.PolicyRef(r), r.Message)
		}
		if r.Binding != "" {
			f.Evidence = append(f.Evidence, kit.BindingRef(r)+" puts it in force")
		}
		f.Steps = policySteps(r, policy, static)
		if static {
			f.Evidence = append(f.Evidence, "the API server reads this policy from a file on the control plane: kubectl can neither show nor change it")
		}
		return []stuck.Finding{f}
	},
}

// policySteps are what can be done about a policy: what it asks for, or the change that
// lets pass what is being deleted.
func policySteps(r *apitext.Rejection, policy cluster.Answer[cluster.AdmissionPolicy], static bool) []stuck.Step {
	what := "do what it asks for; or "
	if r.PolicyKind == apitext.MutatingPolicy {
		what = "give the object what the expression reads; or "
	}
	if static {
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: what + "change the policy in its file: the admission configuration of kube-apiserver names the folder (staticManifestsDir)",
			Command:     "kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep admission-control-config-file",
		}}
	}
	steps := []stuck.Step{{Action: stuck.ActionCheck, Description: what + "see the policy", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(r.PolicyKind), r.Name)}}
	// What is not configured right is found before its conditions are looked at.
	if policy.Found() && !r.IsMisconfigured() {
		steps = append(steps, exemptStep(r.PolicyKind, *policy.Value))
	}
	return steps
}

// exemptStep is the change to a policy that lets pass what is being deleted.
func exemptStep(kind string, policy cluster.AdmissionPolicy) stuck.Step {
	condition := `{"name":"not-being-deleted","expression":"object == null || !has(object.metadata.deletionTimestamp)"}`
	path := "/spec/matchConditions/-"
	if len(policy.Spec.MatchConditions) == 0 {
		condition, path = "["+condition+"]", "/spec/matchConditions"
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "or have it look only at what is not being deleted",
		Command: stuck.Shellf(`kubectl patch %s %s --type=json -p '[{"op":"add","path":"%s","value":%s}]'`,
			strings.ToLower(kind), policy.Name, path, condition),
	}
}

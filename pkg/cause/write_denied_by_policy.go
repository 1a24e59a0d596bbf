package cause

import (
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
	Title: "An admission policy denies updates, so the finalizers cannot be removed",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `ValidatingAdmissionPolicy ... denied request`, or with `policy ... denied request` of a MutatingAdmissionPolicy.",
		Why:      "The policy matches updates too, and the object does not comply with the policy. Usually the object is older than the policy, or an object that the policy reads was deleted. A MutatingAdmissionPolicy denies an update when its expression fails because a field or a label that the expression reads does not exist. A policy whose name ends in `.static.k8s.io` is read from a file on the control plane and is not an object of the API.",
		Fix:      "Do what the message asks for, or exempt objects that have a deletionTimestamp from the policy: a matchCondition `object == null || !has(object.metadata.deletionTimestamp)`.",
		IfForced: "A forced removal is a write and is denied too.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
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
		f := kit.RejectionFinding(o, t, policy.Found() && !t.Representative)
		f.Message = kit.PolicyRef(r) + " denies updates of the object"
		f.BlockedBy = stuck.Culprit{Kind: r.PolicyKind, Name: r.Name}
		if r.PolicyKind == apitext.MutatingPolicy {
			f.Message = kit.PolicyRef(r) + " fails and denies updates of the object"
		}
		if r.Binding != "" {
			f.Evidence = append(f.Evidence, "bound by "+kit.BindingRef(r))
		}
		f.Steps = policySteps(r, policy, static, o)
		if static {
			f.Evidence = append(f.Evidence, "the API server reads the policy from a file on the control plane; kubectl cannot show or change it")
		}
		if policy.Found() && backend.DependsOnUser(policy.Value.Expressions()) {
			return kit.DecidesByUser(view, o, f, kit.PolicyRef(r))
		}
		return []stuck.Finding{f}
	},
}

// policySteps are what can be done about a policy: what it asks for, or the change that
// exempts what is being deleted.
func policySteps(r *apitext.Rejection, policy cluster.Answer[cluster.AdmissionPolicy], static bool, o stuck.Object) []stuck.Step {
	repair := kit.EditStep(o, "change the object as the message asks")
	if r.PolicyKind == apitext.MutatingPolicy {
		repair.Description = "set the field or label that the expression reads"
	}
	if static {
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "find the file of the policy: the admission configuration of kube-apiserver has staticManifestsDir",
			Command:     "kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep admission-control-config-file",
		}, repair, {Action: stuck.ActionChange, Description: "change the policy in its file"}}
	}
	steps := []stuck.Step{{Action: stuck.ActionCheck, Description: "see what the policy requires", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(r.PolicyKind), r.Name)}}
	if !policy.Found() {
		return steps // it may decide by user
	}
	// An invalid configuration is found before the conditions are evaluated.
	if steps = append(steps, repair); !r.IsMisconfigured() {
		steps = append(steps, exemptStep(r.PolicyKind, *policy.Value))
	}
	return steps
}

// exemptStep is the change to a policy that exempts what is being deleted.
func exemptStep(kind string, policy cluster.AdmissionPolicy) stuck.Step {
	condition := `{"name":"not-being-deleted","expression":"object == null || !has(object.metadata.deletionTimestamp)"}`
	path := "/spec/matchConditions/-"
	if len(policy.Spec.MatchConditions) == 0 {
		condition, path = "["+condition+"]", "/spec/matchConditions"
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "exempt objects that are being deleted from the policy",
		Command: stuck.Shellf(`kubectl patch %s %s --type=json -p '[{"op":"add","path":"%s","value":%s}]'`,
			strings.ToLower(kind), policy.Name, path, condition),
	}
}

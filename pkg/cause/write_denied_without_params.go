package cause

import (
	"cmp"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteDeniedWithoutParams is an admission policy that denies every update because the
// object with its parameters does not exist.
var WriteDeniedWithoutParams = kit.Cause{
	ID:    "policy-params-missing",
	Title: "An admission policy denies updates because its parameters do not exist",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `denied request: failed to configure binding: no params found for policy binding with Deny parameterNotFoundAction`.",
		Why:      "The binding of the policy names an object with parameters, and the object was deleted. With `parameterNotFoundAction: Deny`, the API server then denies every request that the policy matches. The API server reads the parameters before it evaluates the matchConditions of the policy: a matchCondition cannot exempt an object.",
		Fix:      "Recreate the object with the parameters. If you cannot recreate the object, set `parameterNotFoundAction` of the binding to `Allow`: the policy is then not enforced.",
		IfForced: "A forced removal is a write and is denied too.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.PolicyDenied)
		if !ok || !t.Rejection.LacksParams() {
			return nil
		}
		r := t.Rejection
		f := kit.RejectionFinding(o, t, false)
		f.Message = fmt.Sprintf("%s denies updates: the parameters do not exist", kit.PolicyRef(r))
		f.BlockedBy = stuck.Culprit{Kind: r.PolicyKind + "Binding", Name: r.Binding}
		if params, ok := paramsOf(view, r, o); ok {
			params.addMissingParams(view, &f, r, !t.Representative)
		}
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: "allow requests while the parameters do not exist (the policy is then not enforced)",
			Command: stuck.Shellf(`kubectl patch %s %s --type=merge -p '{"spec":{"paramRef":{"parameterNotFoundAction":"Allow"}}}'`,
				strings.ToLower(r.PolicyKind)+"binding", r.Binding),
		})
		return []stuck.Finding{f}
	},
}

// policyParams are the parameters that a binding names.
type policyParams struct {
	t               stuck.Type
	namespace, name string
	// selector selects them where they have no name.
	selector *metav1.LabelSelector
}

// paramsOf reads which parameters the binding of a policy names. Those of a namespaced
// type are looked for in the namespace of the object, where the binding names none.
func paramsOf(view *cluster.View, r *apitext.Rejection, o stuck.Object) (policyParams, bool) {
	policy, binding := view.AdmissionPolicy(r.PolicyKind, r.Name), view.AdmissionPolicyBinding(r.PolicyKind, r.Binding)
	if !policy.Found() || !binding.Found() || policy.Value.Spec.ParamKind == nil || binding.Value.Spec.ParamRef == nil {
		return policyParams{}, false
	}
	kind, ref := policy.Value.Spec.ParamKind, binding.Value.Spec.ParamRef
	t, served := view.TypeForKind(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind).GroupKind())
	if !served || ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction != admissionv1.DenyAction {
		return policyParams{}, false
	}
	out := policyParams{t: t, name: ref.Name, selector: ref.Selector}
	if t.Namespaced {
		out.namespace = cmp.Or(ref.Namespace, o.Namespace)
	}
	return out, out.name == "" || kit.IsValidName(out.name)
}

// addMissingParams adds to a finding which parameters are missing.
func (p policyParams) addMissingParams(view *cluster.View, f *stuck.Finding, r *apitext.Rejection, certain bool) {
	what := p.t.Singular() + "/" + p.name + stuck.InNamespace(p.namespace)
	recreate := "recreate " + what + " with those values"
	if p.name == "" {
		what = fmt.Sprintf("a %s with the labels %s%s", p.t.Singular(), metav1.FormatLabelSelector(p.selector), stuck.InNamespace(p.namespace))
		recreate = "create " + what + " and those values"
	}
	f.Evidence = append(f.Evidence, fmt.Sprintf("%s requires %s (parameterNotFoundAction: Deny)", kit.BindingRef(r), what))
	if p.name != "" && view.Metadata(p.t, p.namespace, p.name).Absent() {
		f.Message = fmt.Sprintf("%s, a parameter of %s, does not exist", what, kit.PolicyRef(r))
		f.BlockedBy = stuck.Culprit{Kind: p.t.Kind, Namespace: p.namespace, Name: p.name}
		if certain {
			f.Certainty = stuck.Confirmed
		}
	}
	if kit.IsTerminatingNamespaceNamed(view, p.namespace) {
		f.Evidence = append(f.Evidence, fmt.Sprintf("namespace/%s is being deleted, so nothing can be created there", p.namespace))
		return
	}
	f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionCheck, Description: "see which values the policy reads", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(r.PolicyKind), r.Name)},
		stuck.Step{Action: stuck.ActionChange, Description: recreate})
}

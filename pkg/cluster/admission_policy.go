package cluster

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// AdmissionPolicy is what is read of a ValidatingAdmissionPolicy or of a
// MutatingAdmissionPolicy (admissionregistration.k8s.io/v1).
type AdmissionPolicy struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParamKind *struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"paramKind"`
		Validations     []admissionv1.Validation     `json:"validations"`
		Mutations       []admissionv1.Mutation       `json:"mutations"`
		MatchConditions []admissionv1.MatchCondition `json:"matchConditions"`
		Variables       []admissionv1.Variable       `json:"variables"`
	} `json:"spec"`
}

// AdmissionPolicyBinding is what is read of the binding of a policy.
type AdmissionPolicyBinding struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParamRef *admissionv1.ParamRef `json:"paramRef"`
	} `json:"spec"`
}

// AdmissionPolicy reads a policy of a kind.
func (v *View) AdmissionPolicy(kind, name string) Answer[AdmissionPolicy] {
	t, served := v.admissionType(kind)
	if !served {
		return Answer[AdmissionPolicy]{}
	}
	return Read[AdmissionPolicy](v, t, "", name)
}

// AdmissionPolicyBinding reads the binding of a policy of a kind.
func (v *View) AdmissionPolicyBinding(policyKind, name string) Answer[AdmissionPolicyBinding] {
	t, served := v.admissionType(policyKind + "Binding")
	if !served {
		return Answer[AdmissionPolicyBinding]{}
	}
	return Read[AdmissionPolicyBinding](v, t, "", name)
}

func (v *View) admissionType(kind string) (stuck.Type, bool) {
	return v.TypeForKind(schema.GroupKind{Group: admissionv1.GroupName, Kind: kind})
}

var policyBindings = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings", Kind: "ValidatingAdmissionPolicyBinding"}

// ValidatingAdmissionPolicyBinding reads the metadata of what binds a ValidatingAdmissionPolicy.
func (v *View) ValidatingAdmissionPolicyBinding(name string) Answer[metav1.PartialObjectMetadata] {
	return v.Metadata(policyBindings, "", name)
}

// Expressions are all that it judges by.
func (p AdmissionPolicy) Expressions() []string {
	var out []string
	for _, v := range p.Spec.Validations {
		out = append(out, v.Expression)
	}
	for _, m := range p.Spec.Mutations {
		if m.ApplyConfiguration != nil {
			out = append(out, m.ApplyConfiguration.Expression)
		}
		if m.JSONPatch != nil {
			out = append(out, m.JSONPatch.Expression)
		}
	}
	for _, c := range p.Spec.MatchConditions {
		out = append(out, c.Expression)
	}
	for _, v := range p.Spec.Variables {
		out = append(out, v.Expression)
	}
	return out
}

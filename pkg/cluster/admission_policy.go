package cluster

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var admissionPolicies = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies", Kind: "ValidatingAdmissionPolicy"}

// ValidatingAdmissionPolicy is what is read of a ValidatingAdmissionPolicy
// (admissionregistration.k8s.io/v1).
type ValidatingAdmissionPolicy struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Validations     []admissionv1.Validation     `json:"validations"`
		MatchConditions []admissionv1.MatchCondition `json:"matchConditions"`
		Variables       []admissionv1.Variable       `json:"variables"`
	} `json:"spec"`
}

// ValidatingAdmissionPolicy reads a ValidatingAdmissionPolicy.
func (v *View) ValidatingAdmissionPolicy(name string) Answer[ValidatingAdmissionPolicy] {
	return Read[ValidatingAdmissionPolicy](v, admissionPolicies, "", name)
}

var policyBindings = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings", Kind: "ValidatingAdmissionPolicyBinding"}

// ValidatingAdmissionPolicyBinding reads the metadata of what binds a ValidatingAdmissionPolicy.
func (v *View) ValidatingAdmissionPolicyBinding(name string) Answer[metav1.PartialObjectMetadata] {
	return v.Metadata(policyBindings, "", name)
}

// Expressions are all that it judges by.
func (p ValidatingAdmissionPolicy) Expressions() []string {
	var out []string
	for _, v := range p.Spec.Validations {
		out = append(out, v.Expression)
	}
	for _, c := range p.Spec.MatchConditions {
		out = append(out, c.Expression)
	}
	for _, v := range p.Spec.Variables {
		out = append(out, v.Expression)
	}
	return out
}

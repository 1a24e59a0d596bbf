package cluster

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var policyBindings = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings", Kind: "ValidatingAdmissionPolicyBinding"}

// PolicyBinding reads the metadata of what binds a ValidatingAdmissionPolicy.
func (v *View) PolicyBinding(name string) One[metav1.PartialObjectMetadata] {
	return v.Metadata(policyBindings, "", name)
}

// Rejection is an admission plugin that would not let an object be deleted.
type Rejection struct {
	// Webhook is the admission webhook, empty for a policy.
	Webhook string
	// Policy and Binding are the ValidatingAdmissionPolicy and how it got here.
	Policy, Binding string
	// Called says that the webhook gave its answer, and Said is that answer, or
	// why there was none.
	Called bool
	Said   string
	// Resource and Name are the object, where the rejection names it.
	Resource schema.GroupResource
	Name     string
}

// The words of a rejection (apiserver/pkg/admission/plugin/webhook/errors/statuserror.go,
// webhook/validating/dispatcher.go, policy/validating/dispatcher.go and
// apimachinery/pkg/api/errors for the object before it).
var (
	uncalled = regexp.MustCompile(`failed calling webhook "([^"]+)"[:;] (.*)`)
	denied   = regexp.MustCompile(`admission webhook "([^"]+)" denied the request(?:: (.*)| without explanation)`)
	policy   = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request: (.*)`)
	object   = regexp.MustCompile(`^([a-z0-9-]+)(\.[a-z0-9.-]+)? "([^"]+)" is (?:forbidden|invalid)`)
)

// RejectionIn is the rejection that a failure speaks of.
func RejectionIn(failure string) (Rejection, bool) {
	r, ok := rejection(failure)
	if m := object.FindStringSubmatch(failure); ok && m != nil {
		r.Resource = schema.GroupResource{Group: strings.TrimPrefix(m[2], "."), Resource: m[1]}
		r.Name = m[3]
	}
	return r, ok
}

func rejection(failure string) (Rejection, bool) {
	if m := uncalled.FindStringSubmatch(failure); m != nil {
		return Rejection{Webhook: m[1], Said: strings.TrimPrefix(m[2], "failed to call webhook: ")}, true
	}
	if m := denied.FindStringSubmatch(failure); m != nil {
		return Rejection{Webhook: m[1], Said: m[2], Called: true}, true
	}
	if m := policy.FindStringSubmatch(failure); m != nil {
		return Rejection{Policy: m[1], Binding: m[2], Said: m[3], Called: true}, true
	}
	return Rejection{}, false
}

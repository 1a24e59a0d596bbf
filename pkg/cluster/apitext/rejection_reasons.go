package apitext

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// calledURL is how Go's HTTP client names the address that it could not call, which the
// API server quotes (net/url, Error.Error).
var calledURL = regexp.MustCompile(`Post "([^"]+)"`)

// CalledURL is the address of the webhook that could not be called, false where the
// rejection does not name it.
func (r *Rejection) CalledURL() (string, bool) {
	m := calledURL.FindStringSubmatch(r.Message)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// LacksParams reports whether a policy denied a request because the parameters that
// its binding names do not exist, and it asks to deny then
// (k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go).
// What the API server reads from a file has no parameters of the cluster's.
func (r *Rejection) LacksParams() bool {
	return r.Binding != "" && strings.Contains(r.Message, "no params found for policy binding") && !IsStaticPolicy(r.Binding)
}

// IsMisconfigured reports whether a policy denied a request because the API server could
// not set it up, which it finds before it looks at the conditions of the policy
// (policy_dispatcher.go, too).
func (r *Rejection) IsMisconfigured() bool {
	return strings.HasPrefix(r.Message, "failed to configure")
}

// IsStaticPolicy reports whether a policy or a binding is one that the API server reads
// from a file on the control plane: they are no objects of its API
// (k8s.io/apiserver/pkg/admission/plugin/manifest/validation.go).
func IsStaticPolicy(name string) bool { return strings.HasSuffix(name, ".static.k8s.io") }

// IsImmutableField reports whether a field is not valid because it is immutable
// (k8s.io/apimachinery/pkg/api/validation, FieldImmutableErrorMsg; some types forbid it
// in words of their own).
func IsImmutableField(field metav1.StatusCause) bool {
	return field.Type == metav1.CauseTypeForbidden || strings.Contains(field.Message, "field is immutable")
}

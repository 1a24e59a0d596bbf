package apitext

import (
	"cmp"
	"errors"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Rejection is why the API server rejects a request: to remove the finalizers of an
// object, or to delete one.
type Rejection struct {
	By RejectedBy
	// Name is the webhook or the policy.
	Name string
	// Binding is the binding of the policy.
	Binding string
	// PolicyKind is the kind of the policy.
	PolicyKind string
	// Message is the reason, in the words of what rejected it.
	Message string
	// Resource is the type of the object, where the rejection names it.
	Resource schema.GroupResource
	// Fields are the fields that are not valid, each with what is wrong with it.
	Fields []metav1.StatusCause
}

// RejectedBy is the part of admission or validation that rejected a write.
type RejectedBy string

// What rejects requests. A rejection by anything else is a gap: it is not understood.
const (
	// WebhookFailed means that a webhook is unreachable, or its response is not valid.
	WebhookFailed RejectedBy = "webhook failed"
	// WebhookDenied means that a webhook denied the request.
	WebhookDenied RejectedBy = "webhook denied"
	// WebhookNoDryRun means that a webhook is not called in a dry run. A real
	// write would call it.
	WebhookNoDryRun RejectedBy = "webhook untried"
	// PolicyDenied means that a ValidatingAdmissionPolicy denied the request, or that a
	// MutatingAdmissionPolicy failed.
	PolicyDenied RejectedBy = "policy denied"
	// ValidationFailed means that the object does not pass the validation of its type.
	ValidationFailed RejectedBy = "not valid"
)

// The kinds of policies.
const (
	ValidatingPolicy = "ValidatingAdmissionPolicy"
	MutatingPolicy   = "MutatingAdmissionPolicy"
)

// objectPrefix is how a refusal begins that names the object
// (k8s.io/apimachinery/pkg/api/errors).
const objectPrefix = `(?P<resource>[a-z0-9-]+)(?:\.(?P<group>[a-z0-9.-]+))? "[^"]*" is (?:forbidden|invalid): `

// rejectionPatterns are how the API server says who refused. They begin the message, so
// that nobody's reason is taken for a refusal of another.
var rejectionPatterns = []struct {
	by      RejectedBy
	pattern *regexp.Regexp
	kind    string
}{
	// k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
	{WebhookDenied, regexp.MustCompile(`^(?:` + objectPrefix + `)?admission webhook "(?P<name>[^"]+)" denied the request(?: without explanation|: ?(?P<says>.*))`), ""},
	{WebhookNoDryRun, regexp.MustCompile(`^admission webhook "(?P<name>[^"]+)" (?P<says>does not support dry run)`), ""},
	// k8s.io/apiserver/pkg/util/webhook/error.go, in an internal error
	{WebhookFailed, regexp.MustCompile(`^Internal error occurred: failed calling webhook "(?P<name>[^"]+)"[:;] (?:failed to call webhook: )?(?P<says>.*)`), ""},
	// k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
	{PolicyDenied, regexp.MustCompile(`^` + objectPrefix + `ValidatingAdmissionPolicy '(?P<name>[^']+)' (?:with binding '(?P<binding>[^']+)' )?denied request: (?P<says>.*)`), ValidatingPolicy},
	// k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go, which
	// in Kubernetes 1.37 serves MutatingAdmissionPolicies alone
	{PolicyDenied, regexp.MustCompile(`^policy (?:'(?P<name>[^']+)' with binding '(?P<binding>[^']+)'|"(?P<name2>[^"]+)") denied request: (?P<says>.*)`), MutatingPolicy},
}

// objectPattern is objectPrefix as a whole text begins with it.
var objectPattern = regexp.MustCompile(`^` + objectPrefix)

// WithoutObject is a message of the API server without the object at its beginning, which
// differs where the reason is the same.
func WithoutObject(message string) string { return objectPattern.ReplaceAllString(message, "") }

// ParseRejection is the refusal by a webhook or a policy that a line of text is.
func ParseRejection(text string) (Rejection, bool) {
	for _, w := range rejectionPatterns {
		m := w.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := w.pattern.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		return Rejection{
			By: w.by, Name: cmp.Or(group("name"), group("name2")), Binding: group("binding"), PolicyKind: w.kind, Message: cmp.Or(group("says"), "no reason given"),
			Resource: schema.GroupResource{Group: group("group"), Resource: group("resource")},
		}, true
	}
	return Rejection{}, false
}

// RejectionFromError is the refusal that an error is, nil for one that is not
// understood.
func RejectionFromError(err error) *Rejection {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return nil
	}
	status := answer.Status()
	text := OneLine(status.Message)
	if rejection, ok := ParseRejection(text); ok {
		return &rejection
	}
	// A patch whose test fails, because the object has changed meanwhile, is
	// called invalid too, and names neither kind nor field
	// (k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
	if !apierrors.IsInvalid(err) || status.Details == nil || status.Details.Kind == "" {
		return nil
	}
	rejection := &Rejection{By: ValidationFailed, Message: WithoutValues(text)}
	for _, cause := range status.Details.Causes {
		if cause.Field != "" {
			rejection.Fields = append(rejection.Fields, cause)
		}
	}
	if len(rejection.Fields) == 0 {
		return nil
	}
	return rejection
}

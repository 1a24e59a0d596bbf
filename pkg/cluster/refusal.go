package cluster

import (
	"cmp"
	"errors"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Refusal is why the API server would not carry out a request: to take the
// finalizers off an object, or to delete one.
type Refusal struct {
	By RefusedBy
	// Name is the webhook or the policy.
	Name string
	// Binding is the binding of the policy.
	Binding string
	// Says is the reason, in the words of who refused.
	Says string
	// Resource is the type of the object, where the refusal names it.
	Resource schema.GroupResource
	// Fields are the fields that are not valid, each with what is wrong with it.
	Fields []metav1.StatusCause
}

// RefusedBy is what part of the API server's way to a write refused it.
type RefusedBy string

// Who refuses. A refusal by anybody else is a gap: it is not understood.
const (
	// WebhookFailed means that a webhook did not answer.
	WebhookFailed RefusedBy = "webhook failed"
	// WebhookDenied means that a webhook answered, with no.
	WebhookDenied RefusedBy = "webhook denied"
	// WebhookUntried means that a webhook cannot be asked in a dry run. A real
	// write would ask it.
	WebhookUntried RefusedBy = "webhook untried"
	// PolicyDenied means that a ValidatingAdmissionPolicy said no.
	PolicyDenied RefusedBy = "policy denied"
	// NotValid means that the object does not pass the validation of its type.
	NotValid RefusedBy = "not valid"
)

// named is how a refusal begins that names the object
// (k8s.io/apimachinery/pkg/api/errors).
const named = `(?P<resource>[a-z0-9-]+)(?:\.(?P<group>[a-z0-9.-]+))? "[^"]*" is (?:forbidden|invalid): `

// wordings are how the API server says who refused. They begin the message, so
// that nobody's reason is taken for a refusal of another.
var wordings = []struct {
	by      RefusedBy
	pattern *regexp.Regexp
}{
	// k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
	{WebhookDenied, regexp.MustCompile(`^(?:` + named + `)?admission webhook "(?P<name>[^"]+)" denied the request(?: without explanation|: ?(?P<says>.*))`)},
	{WebhookUntried, regexp.MustCompile(`^admission webhook "(?P<name>[^"]+)" (?P<says>does not support dry run)`)},
	// k8s.io/apiserver/pkg/util/webhook/error.go, in an internal error
	{WebhookFailed, regexp.MustCompile(`^Internal error occurred: failed calling webhook "(?P<name>[^"]+)"[:;] (?:failed to call webhook: )?(?P<says>.*)`)},
	// k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
	{PolicyDenied, regexp.MustCompile(`^` + named + `ValidatingAdmissionPolicy '(?P<name>[^']+)' (?:with binding '(?P<binding>[^']+)' )?denied request: (?P<says>.*)`)},
}

// RefusalIn is the refusal by a webhook or a policy that a line of text is.
func RefusalIn(text string) (Refusal, bool) {
	for _, w := range wordings {
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
		return Refusal{
			By: w.by, Name: group("name"), Binding: group("binding"), Says: cmp.Or(group("says"), "no, without giving a reason"),
			Resource: schema.GroupResource{Group: group("group"), Resource: group("resource")},
		}, true
	}
	return Refusal{}, false
}

// refusalOf is the refusal that an error is, nil for one that is not
// understood.
func refusalOf(err error) *Refusal {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return nil
	}
	status := answer.Status()
	text := oneLine(status.Message)
	if refusal, ok := RefusalIn(text); ok {
		return &refusal
	}
	// A patch whose test fails, because the object has changed meanwhile, is
	// called invalid too, and names neither kind nor field
	// (k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
	if !apierrors.IsInvalid(err) || status.Details == nil || status.Details.Kind == "" {
		return nil
	}
	refusal := &Refusal{By: NotValid, Says: text}
	for _, cause := range status.Details.Causes {
		if cause.Field != "" {
			refusal.Fields = append(refusal.Fields, cause)
		}
	}
	if len(refusal.Fields) == 0 {
		return nil
	}
	return refusal
}

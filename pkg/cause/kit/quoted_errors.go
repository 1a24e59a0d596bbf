package kit

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

// QuotedError is an error of the API server that a controller which runs has written into
// the object, or into an event on it, since the deletion began.
type QuotedError struct {
	ReportedError

	// Rejection is the rejection by a webhook or a policy that exists, nil for another error.
	Rejection *apitext.Rejection
	// Webhook is the webhook that rejected.
	Webhook *backend.Webhook
	// AddsFinalizers says that the controller tries to add finalizers, and NewFinalizers
	// which ones.
	AddsFinalizers bool
	NewFinalizers  []string
	// Unclear says that what rejected could not be read.
	Unclear bool
	// TooLarge says that etcd rejected a write for its size.
	TooLarge bool
}

// QuotedErrorOf is the first error of the API server that a running controller of a
// finalizer quotes and that has a cause of its own.
func QuotedErrorOf(view *cluster.View, w controller.Controller) (QuotedError, bool) {
	if len(controller.RunningCandidates(view, w)) == 0 {
		return QuotedError{}, false
	}
	reported, _ := ReportedErrors(view, w)
	for _, r := range reported {
		q := QuotedError{ReportedError: r, TooLarge: apitext.IsTooLarge(r.Text)}
		q.NewFinalizers, q.AddsFinalizers = apitext.QuotedNewFinalizers(r.Text)
		if rejection, ok := apitext.QuotedRejection(r.Text); ok {
			q.setRejection(view, rejection)
		}
		if q.TooLarge || q.AddsFinalizers || q.Unclear || q.Rejection != nil {
			return q, true
		}
	}
	return QuotedError{}, false
}

// setRejection adds a rejection, if what rejected still exists: a sentence in a status may
// be old.
func (q *QuotedError) setRejection(view *cluster.View, r apitext.Rejection) {
	if r.By == apitext.PolicyDenied {
		policy := cluster.Answer[cluster.AdmissionPolicy]{}
		static := apitext.IsStaticPolicy(r.Name)
		if !static {
			policy = view.AdmissionPolicy(r.PolicyKind, r.Name)
		}
		if q.Unclear = !static && !policy.Found() && !policy.Absent(); static || policy.Found() {
			q.Rejection = &r
		}
		return
	}
	hooks := backend.WebhooksNamedInRejection(view, &r)
	hooks.Items = slices.DeleteFunc(hooks.Items, func(h backend.Webhook) bool { return r.By == apitext.WebhookFailed && h.IgnoresFailure })
	if q.Unclear = !hooks.Complete; hooks.Complete && len(hooks.Items) == 1 {
		q.Rejection, q.Webhook = &r, &hooks.Items[0]
	}
}

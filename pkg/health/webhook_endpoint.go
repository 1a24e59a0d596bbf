package health

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// expiryWarning is how long before it expires a certificate is a warning.
const expiryWarning = 14 * 24 * time.Hour

// endpoint is how the API server reaches a webhook.
type endpoint struct {
	// problems are the reasons why it cannot.
	problems []string
	// untrusted says that no certificate in the caBundle is valid.
	untrusted bool
	// expires is when the caBundle expires, where that is soon.
	expires time.Time
	// incomplete says that not all of it could be read.
	incomplete bool
}

// endpointOf reads the Service and the caBundle. An address outside the cluster cannot be
// checked.
func (c *checker) endpointOf(service *cluster.ServiceReference, bundle []byte) endpoint {
	w := endpoint{}
	if service != nil {
		w.problems = append(w.problems, c.backendProblems(*service)...)
		found := c.view.Service(service.Namespace, service.Name)
		w.incomplete = !found.Found() && !found.Absent() ||
			found.Found() && found.Value.Spec.Selector != nil && !c.view.EndpointSlices(service.Namespace, service.Name).Complete
	}
	if len(bundle) == 0 {
		return w
	}
	trust := backend.ReadCABundle(c.view, bundle)
	switch {
	case trust.ValidUntil.IsZero():
		w.problems = append(w.problems, trust.Evidence...)
		w.untrusted = true
	case trust.ValidUntil.Sub(c.view.Now()) < expiryWarning:
		w.expires = trust.ValidUntil
	}
	return w
}

package health

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
)

// soon is how long before its end a certificate is worth a word.
const soon = 14 * 24 * time.Hour

// way is how the API server reaches a webhook.
type way struct {
	// blocked says why it cannot.
	blocked []string
	// distrusts says that it does not trust who answers.
	distrusts bool
	// ends is when it will trust nobody any more, where that is soon.
	ends time.Time
	// unseen says that not all of it could be looked at.
	unseen bool
}

// wayTo looks at the Service and at the caBundle. What answers at an address
// outside the cluster cannot be looked at.
func (e *examination) wayTo(service *cluster.ServiceReference, bundle []byte) way {
	w := way{}
	if service != nil {
		w.blocked = append(w.blocked, owner.ServiceState(e.see, *service)...)
		found := e.see.Service(service.Namespace, service.Name)
		w.unseen = !found.Found() && !found.Absent() ||
			found.Found() && found.Value.Spec.Selector != nil && !e.see.Endpoints(service.Namespace, service.Name).Complete
	}
	if len(bundle) == 0 {
		return w
	}
	trust := owner.TrustIn(e.see, bundle)
	switch {
	case trust.Until.IsZero():
		w.blocked = append(w.blocked, trust.Says...)
		w.distrusts = true
	case trust.Until.Sub(e.see.Now()) < soon:
		w.ends = trust.Until
	}
	return w
}

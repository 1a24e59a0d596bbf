package kit

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// LeaseWebhooks are the webhooks that keep kube-controller-manager from renewing its
// Lease. None is looked for while the Lease is renewed, or an API server renews
// its own, which goes the same way.
func LeaseWebhooks(view *cluster.View) cluster.List[backend.Webhook] {
	none, lease := cluster.List[backend.Webhook]{Complete: true}, ControllerManagerLease(view)
	if !lease.Found() {
		return none
	}
	if _, expired := lease.Value.Expired(view); !expired {
		return none
	}
	if newest, silent := cluster.NewestAPIServerLease(view); newest != nil && !silent {
		return none
	}
	return rejecters(view, admissionv1.Update, stuck.Object{Type: cluster.LeaseType, Namespace: lease.Value.Namespace, Name: lease.Value.Name})
}

// DeleteRejecters are the webhooks that keep an object from being deleted.
func DeleteRejecters(view *cluster.View, o stuck.Object) cluster.List[backend.Webhook] {
	return rejecters(view, admissionv1.Delete, o)
}

// rejecters are the webhooks that reject a request for an object, since they fail
// closed, are shown it, and are unreachable.
func rejecters(view *cluster.View, operation admissionv1.OperationType, o stuck.Object) cluster.List[backend.Webhook] {
	hooks := backend.Webhooks(view)
	out := cluster.List[backend.Webhook]{Complete: hooks.Complete}
	for _, hook := range hooks.Items {
		if hook.IgnoresFailure || len(hook.MatchConditions) > 0 || hook.Service == nil {
			continue
		}
		matches, known := backend.Selects(view, hook, operation, o)
		switch {
		case !known, matches && !backend.IsServiceKnown(view, *hook.Service):
			out.Complete = false
		case matches && IsUnreachable(view, hook):
			out.Items = append(out.Items, hook)
		}
	}
	return out
}

// IsUnreachable reports whether nothing can answer behind a webhook's Service.
func IsUnreachable(view *cluster.View, hook backend.Webhook) bool {
	return hook.Service != nil && len(backend.ServiceProblems(view, *hook.Service)) > 0
}

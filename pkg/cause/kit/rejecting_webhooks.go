package kit

import (
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WebhooksRejectingLease are the webhooks that keep kube-controller-manager from renewing its
// Lease. None is looked for while the Lease is renewed, or an API server renews
// its own, which goes the same way.
func WebhooksRejectingLease(view *cluster.View) cluster.List[backend.Webhook] {
	none, lease := cluster.List[backend.Webhook]{Complete: true}, ControllerManagerLease(view)
	if !lease.Found() {
		return none
	}
	if _, expired := lease.Value.Expired(view); !expired {
		return none
	}
	if newest, allExpired := cluster.NewestAPIServerLease(view); newest != nil && !allExpired {
		return none
	}
	return WebhooksRejecting(view, admissionv1.Update, stuck.Object{Type: cluster.LeaseType, Namespace: lease.Value.Namespace, Name: lease.Value.Name})
}

// LeaseRequestTimeout is how many seconds kube-controller-manager waits for an update of its Lease: half of its renew deadline,
// which is 10s by default (NewFromKubeconfig in k8s.io/client-go/tools/leaderelection/resourcelock/interface.go).
const LeaseRequestTimeout = 5

// WebhooksDelayingLease are the webhooks that may keep kube-controller-manager from renewing its Lease although their failures
// are ignored: the API server waits for a response for longer than kube-controller-manager does. A Service that does not
// exist costs no time.
func WebhooksDelayingLease(view *cluster.View) []backend.Webhook {
	lease := ControllerManagerLease(view)
	if !lease.Found() {
		return nil
	}
	if _, expired := lease.Value.Expired(view); !expired {
		return nil
	}
	o := stuck.Object{Type: cluster.LeaseType, Namespace: lease.Value.Namespace, Name: lease.Value.Name}
	hooks := unreachableWebhooks(view, admissionv1.Update, o, func(hook backend.Webhook) bool {
		return hook.IgnoresFailure && hook.TimeoutSeconds >= LeaseRequestTimeout
	})
	return slices.DeleteFunc(hooks.Items, func(hook backend.Webhook) bool {
		return !view.Service(hook.Service.Namespace, hook.Service.Name).Found()
	})
}

// WebhooksRejectingDelete are the webhooks that keep an object from being deleted.
func WebhooksRejectingDelete(view *cluster.View, o stuck.Object) cluster.List[backend.Webhook] {
	return WebhooksRejecting(view, admissionv1.Delete, o)
}

// AnyWebhookRejects reports whether a webhook rejects whatever it matches. To see which
// objects it matches may need more reads.
func AnyWebhookRejects(view *cluster.View) bool {
	return slices.ContainsFunc(backend.Webhooks(view).Items, func(hook backend.Webhook) bool {
		return !hook.IgnoresFailure && IsWebhookUnreachable(view, hook)
	})
}

// WebhooksRejecting are the webhooks that reject a request for an object, since they match
// it, are unreachable, and have failurePolicy Fail.
func WebhooksRejecting(view *cluster.View, operation admissionv1.OperationType, o stuck.Object) cluster.List[backend.Webhook] {
	return unreachableWebhooks(view, operation, o, func(hook backend.Webhook) bool { return !hook.IgnoresFailure })
}

// unreachableWebhooks are the webhooks, of those that are chosen, that match a request for an object and are unreachable.
func unreachableWebhooks(view *cluster.View, operation admissionv1.OperationType, o stuck.Object, chooses func(backend.Webhook) bool) cluster.List[backend.Webhook] {
	hooks := backend.Webhooks(view)
	out := cluster.List[backend.Webhook]{Complete: hooks.Complete}
	for _, hook := range hooks.Items {
		if len(hook.MatchConditions) > 0 || hook.Service == nil || !chooses(hook) {
			continue
		}
		matches, known := backend.MatchesRequest(view, hook, operation, o)
		switch {
		case !known, matches && !backend.IsServiceFullyRead(view, *hook.Service):
			out.Complete = false
		case matches && IsWebhookUnreachable(view, hook):
			out.Items = append(out.Items, hook)
		}
	}
	return out
}

// IsWebhookUnreachable reports whether the Service of a webhook does not exist or has no
// ready endpoints.
func IsWebhookUnreachable(view *cluster.View, hook backend.Webhook) bool {
	return hook.Service != nil && len(backend.ServiceProblems(view, *hook.Service)) > 0
}

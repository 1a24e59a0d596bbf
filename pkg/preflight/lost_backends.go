package preflight

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// losesBackend reports whether a Service that works now does not exist, or has no ready
// endpoints, after the deletion.
func (f *foresight) losesBackend(ref cluster.ServiceReference) bool {
	if len(backend.ServiceProblems(f.present, ref)) > 0 {
		return false // a cause says so
	}
	return len(backend.ServiceProblems(f.later, ref)) > 0
}

// webhooksWithoutServer are the webhooks that reject requests when what is behind them has been
// deleted.
func (f *foresight) webhooksWithoutServer() []backend.Webhook {
	return slices.DeleteFunc(backend.Webhooks(f.later).Items, func(hook backend.Webhook) bool {
		return hook.IgnoresFailure || hook.Service == nil || !f.losesBackend(*hook.Service)
	})
}

// webhookWithoutServer is what such a webhook does, without a message.
func webhookWithoutServer(hook backend.Webhook) stuck.Finding {
	return stuck.Finding{
		BlockedBy: stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName},
		Certainty: stuck.Likely, Verdict: stuck.Blocked,
		Evidence: []string{hook.ConfigurationRef + " is not deleted, and its failurePolicy is Fail"},
		Steps:    []stuck.Step{backend.DeleteConfigurationStep(hook, "before its server is deleted")},
	}
}

// lostWebhooks are the webhooks that reject updates of the object, or the deletion of what is in
// a namespace, when what is behind them has been deleted.
func (f *foresight) lostWebhooks(o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, hook := range f.webhooksWithoutServer() {
		reason, finding := f.lossReason(*hook.Service), webhookWithoutServer(hook)
		switch {
		case o.IsNamespace():
			content, ok := f.contentMatching(hook, o)
			if !ok {
				continue
			}
			finding.Cause, finding.Explains = cause.DeleteWebhookDown.ID, o.AllFinalizers()
			finding.Message = fmt.Sprintf("webhook %s rejects deletion of %s when %s", hook.Name, content, reason)
		case len(o.Finalizers) > 0 && f.isCalled(hook, admissionv1.Update, o):
			finding.Cause, finding.Explains = cause.WriteWebhookDown.ID, o.Finalizers
			finding.Message = fmt.Sprintf("webhook %s rejects all updates when %s", hook.Name, reason)
		default:
			continue
		}
		out = append(out, finding)
	}
	return out
}

// lossReason is when a Service is lost: when it is deleted, or what its endpoints are.
func (f *foresight) lossReason(ref cluster.ServiceReference) string {
	service := stuck.RefInNamespace("service", ref.Name, ref.Namespace)
	if f.later.Service(ref.Namespace, ref.Name).Found() {
		return "the Pods of " + service + " are deleted"
	}
	return service + " is deleted"
}

// isCalled reports whether a webhook is called for a request. Where conditions of the webhook
// decide that it is not known, which is a gap.
func (f *foresight) isCalled(hook backend.Webhook, operation admissionv1.OperationType, o stuck.Object) bool {
	matches, known := backend.MatchesRequest(f.present, hook, operation, o)
	if !matches || !known {
		return false
	}
	return !f.hasConditions(hook, o.TypeInNamespace())
}

// hasConditions reports whether conditions of a webhook decide whether it is called for objects, which
// is a gap.
func (f *foresight) hasConditions(hook backend.Webhook, objects string) bool {
	if len(hook.MatchConditions) == 0 {
		return false
	}
	f.later.AddGaps(stuck.Gap{
		Source: fmt.Sprintf("whether webhook %s (%s) is called for %s", hook.Name, hook.ConfigurationRef, objects),
		Error:  "its matchConditions are not evaluated",
	})
	return true
}

// contentMatching is a type of which a namespace has objects that a webhook is called for when
// they are deleted. The namespace controller deletes Pods before everything else.
func (f *foresight) contentMatching(hook backend.Webhook, namespace stuck.Object) (string, bool) {
	for _, o := range f.deleted.all {
		if o.Namespace == namespace.Name && !o.Is("", "Pod") && f.isCalled(hook, admissionv1.Delete, o) {
			return o.Type.String(), true
		}
	}
	return "", false
}

// lostAPIServices are the APIServices that keep every namespace from being deleted when what is
// behind them has been deleted.
func (f *foresight) lostAPIServices() []stuck.Finding {
	var out []stuck.Finding
	for _, api := range f.later.APIServices().Items {
		if api.Spec.Service == nil || !f.losesBackend(*api.Spec.Service) {
			continue
		}
		out = append(out, stuck.Finding{
			Cause: cause.APIServiceUnavailable.ID, BlockedBy: stuck.Culprit{Kind: "APIService", Name: api.Name},
			Certainty: stuck.Likely, Verdict: stuck.Blocked, Explains: []string{"kubernetes"},
			Message:  fmt.Sprintf("apiservice/%s is unavailable when %s", api.Name, f.lossReason(*api.Spec.Service)),
			Evidence: []string{"the APIService is not deleted; until it is, every namespace that is deleted is stuck"},
			Steps:    []stuck.Step{{Action: stuck.ActionDelete, Description: "delete the APIService, before its server is deleted", Command: stuck.Shellf("kubectl delete apiservice %s", api.Name)}},
		})
	}
	return out
}

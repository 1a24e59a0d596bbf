package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteWebhookDown is an admission webhook that nobody answers for: the API
// server refuses each write that it would have shown to it.
var WriteWebhookDown = Cause{
	ID:    "write-webhook-down",
	Title: "The finalizers cannot be removed because an admission webhook does not answer",
	Doc: Doc{
		Symptoms: "Every update of the object, that of its controller included, fails with `failed calling webhook`: its service is not found, has no endpoints, or its certificate is not accepted (`x509: ...`).",
		Why:      "A ValidatingWebhookConfiguration or MutatingWebhookConfiguration with failurePolicy Fail asks the API server to show it updates of this type, and what should answer is gone. Most often the software behind it was uninstalled, or its namespace deleted, and the configuration was left; or its certificate expired and nobody renewed it.",
		Fix:      "Bring the webhook back, or renew its certificate. If that takes long, let the API server go on without it (failurePolicy Ignore); if its software is gone for good, save and delete that one configuration.",
		IfForced: "A forced removal is a write like any other and is refused too, until the webhook is out of the way.",
	},
	Applies: hasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t := view.Probe(o)
		switch {
		case t.Accepted:
			return nil
		case t.Rejection == nil:
			return unreachableWebhooks(view, o)
		case t.Rejection.By == apitext.WebhookNoDryRun:
			return webhookUnprobed(view, o, t.Rejection.Name)
		case t.Rejection.By != apitext.WebhookFailed:
			return nil
		}
		hook, found := webhookOf(view, t.Rejection)
		certain := found && !dependsOnUser(hook.MatchConditions) && (!t.Representative || backend.SelectsAllObjects(hook))
		f := rejectionFinding(o, t, certain)
		if !found {
			f.Culprit = stuck.Culprit{Kind: "Webhook", Name: t.Rejection.Name}
			f.Summary = fmt.Sprintf("it cannot be updated: admission webhook %s %s", t.Rejection.Name, webhookFailureText(t.Rejection.Message))
			return []stuck.Finding{f}
		}
		f.Evidence = append(f.Evidence, backend.CertificateEvidence(view, hook, t.Rejection.Message)...)
		return []stuck.Finding{completeWebhookFinding(view, f, hook, webhookFailureText(t.Rejection.Message))}
	},
}

// webhookFailureText says in what way a webhook does not answer.
func webhookFailureText(says string) string {
	if _, why, ok := strings.Cut(says, "x509: "); ok {
		return "is not trusted: x509: " + why
	}
	return "does not answer"
}

// webhookOf is the webhook that a refusal names. Names are unique within one
// configuration only, so where several share one it is that whose service or
// address is in the message, and none where that does not tell.
func webhookOf(view *cluster.View, r *apitext.Rejection) (backend.Webhook, bool) {
	named := backend.Webhooks(view)
	hooks := slices.DeleteFunc(slices.Clone(named.Items), func(h backend.Webhook) bool { return h.Name != r.Name })
	if len(hooks) > 1 {
		hooks = slices.DeleteFunc(hooks, func(h backend.Webhook) bool { return !strings.Contains(r.Message, webhookAddress(h)) })
	}
	if len(hooks) != 1 || !named.Complete {
		return backend.Webhook{}, false
	}
	return hooks[0], true
}

// webhookAddress is how the API server addresses a webhook
// (k8s.io/apiserver/pkg/util/webhook/client.go).
func webhookAddress(h backend.Webhook) string {
	if h.Service == nil {
		return h.URL
	}
	return fmt.Sprintf("//%s.%s.svc:", h.Service.Name, h.Service.Namespace)
}

// completeWebhookFinding completes a finding about a webhook that is known.
func completeWebhookFinding(view *cluster.View, f stuck.Finding, hook backend.Webhook, silence string) stuck.Finding {
	f.Summary = fmt.Sprintf("it cannot be updated: webhook %s of %s %s", hook.Name, hook.ConfigurationRef, silence)
	f.Culprit = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	if hook.Service != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *hook.Service)...)
	} else {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	}
	f.Fix = append(f.Fix, backend.WebhookRepairSteps(view, hook, strings.Contains(silence, "x509: "))...)
	f.Fix = append(f.Fix, backend.WebhookBypassSteps(hook)...)
	return f
}

// webhookUnprobed is a webhook that no dry run may be shown to, and that is known to
// be down. The API server has said that a write would be shown to it.
func webhookUnprobed(view *cluster.View, o stuck.Object, name string) []stuck.Finding {
	hook, found := webhookOf(view, &apitext.Rejection{Name: name})
	if !found || hook.IgnoresFailure || !unreachable(view, hook) {
		return nil
	}
	return []stuck.Finding{completeWebhookFinding(view, unprobedFinding(o, "it takes no dry runs, so whether a write is refused could not be tried, but one would be shown to it"), hook, "does not answer")}
}

// unreachableWebhooks are the webhooks that, by their rules, would be shown a write of
// the object and are down. It is how one finds out without a dry run.
func unreachableWebhooks(view *cluster.View, o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, hook := range backend.Webhooks(view).Items {
		if !hook.IgnoresFailure && backend.MatchesUpdate(view, hook, o) && unreachable(view, hook) {
			says := fmt.Sprintf("its rules ask for updates of %s here, and its failurePolicy is Fail; whether a write is refused was not tried", o.Type)
			out = append(out, completeWebhookFinding(view, unprobedFinding(o, says), hook, "does not answer"))
		}
	}
	return out
}

// unprobedFinding is a finding that nothing was tried for.
func unprobedFinding(o stuck.Object, says string) stuck.Finding {
	f := rejectionFinding(o, cluster.ProbeResult{Rejection: &apitext.Rejection{}}, false)
	f.Evidence = []string{says}
	return f
}

// unreachable reports whether nothing can answer behind a webhook's Service.
func unreachable(view *cluster.View, hook backend.Webhook) bool {
	return hook.Service != nil && len(backend.ServiceProblems(view, *hook.Service)) > 0
}

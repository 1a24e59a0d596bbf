package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteWebhookDown is an admission webhook that nobody answers for: the API
// server refuses each write that it would have shown to it.
var WriteWebhookDown = kit.Cause{
	ID:    "write-webhook-down",
	Title: "The finalizers cannot be removed because an admission webhook does not answer",
	Doc: kit.Doc{
		Symptoms: "Every update of the object, that of its controller included, fails with `failed calling webhook`: its service is not found, has no endpoints, or its certificate is not accepted (`x509: ...`).",
		Why:      "A ValidatingWebhookConfiguration or MutatingWebhookConfiguration with failurePolicy Fail asks the API server to show it updates of this type, and what should answer is gone. Most often the software behind it was uninstalled, or its namespace deleted, and the configuration was left; or its certificate expired and nobody renewed it.",
		Fix:      "Bring the webhook back, or renew its certificate. If that takes long, let the API server go on without it (failurePolicy Ignore); if its software is gone for good, save and delete that one configuration.",
		IfForced: "A forced removal is a write like any other and is refused too, until the webhook is out of the way.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t := view.Probe(o)
		switch {
		case t.Accepted:
			return nil
		case t.Rejection == nil:
			return unreachableWebhooks(view, o)
		case t.Rejection.By == apitext.WebhookNoDryRun:
			return unprobedWebhookFindings(view, o, t.Rejection.Name)
		case t.Rejection.By != apitext.WebhookFailed:
			return nil
		}
		hook, found := backend.RejectingWebhook(view, t.Rejection, o)
		certain := found && !backend.DependsOnUser(hook.MatchConditions) && (!t.Representative || backend.SelectsAllObjects(hook))
		f := kit.RejectionFinding(o, t, certain)
		if !found {
			f.BlockedBy = stuck.Culprit{Kind: "Webhook", Name: t.Rejection.Name}
			f.Message = fmt.Sprintf("it cannot be updated: admission webhook %s %s", t.Rejection.Name, backend.WebhookFailureText(t.Rejection.Message))
			return []stuck.Finding{f}
		}
		f.Evidence = append(f.Evidence, backend.CertificateEvidence(view, hook, t.Rejection.Message)...)
		return []stuck.Finding{completeWebhookFinding(view, f, hook, backend.WebhookFailureText(t.Rejection.Message))}
	},
}

// completeWebhookFinding completes a finding about a webhook that is known.
func completeWebhookFinding(view *cluster.View, f stuck.Finding, hook backend.Webhook, silence string) stuck.Finding {
	f.Message = fmt.Sprintf("it cannot be updated: webhook %s of %s %s", hook.Name, hook.ConfigurationRef, silence)
	f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	if hook.Service != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *hook.Service)...)
	} else {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	}
	_, untrusted := apitext.CertificateError(silence)
	f.Steps = append(f.Steps, backend.WebhookRepairSteps(view, hook, untrusted)...)
	f.Steps = append(f.Steps, backend.WebhookBypassSteps(hook)...)
	return f
}

// unprobedWebhookFindings is a webhook that no dry run may be shown to, and that is known to
// be down. The API server has said that a write would be shown to it.
func unprobedWebhookFindings(view *cluster.View, o stuck.Object, name string) []stuck.Finding {
	hook, found := backend.RejectingWebhook(view, &apitext.Rejection{Name: name}, o)
	if !found || hook.IgnoresFailure || !kit.IsWebhookUnreachable(view, hook) {
		return nil
	}
	return []stuck.Finding{completeWebhookFinding(view, unprobedFinding(o, "it takes no dry runs, so whether a write is refused could not be tried, but one would be shown to it"), hook, "does not answer")}
}

// unreachableWebhooks are the webhooks that, by their rules, would be shown a write of
// the object and are down. It is how one finds out without a dry run.
func unreachableWebhooks(view *cluster.View, o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, hook := range backend.Webhooks(view).Items {
		if !hook.IgnoresFailure && backend.MatchesUpdate(view, hook, o) && kit.IsWebhookUnreachable(view, hook) {
			says := fmt.Sprintf("its rules ask for updates of %s here, and its failurePolicy is Fail; whether a write is refused was not tried", o.Type)
			out = append(out, completeWebhookFinding(view, unprobedFinding(o, says), hook, "does not answer"))
		}
	}
	return out
}

// unprobedFinding is a finding that nothing was tried for.
func unprobedFinding(o stuck.Object, says string) stuck.Finding {
	f := kit.RejectionFinding(o, cluster.ProbeResult{Rejection: &apitext.Rejection{}}, false)
	f.Evidence = []string{says}
	return f
}

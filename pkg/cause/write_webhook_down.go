package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteWebhookDown is an admission webhook that cannot be called: the API
// server rejects each write that the webhook matches.
var WriteWebhookDown = kit.Cause{
	ID:    "write-webhook-down",
	Title: "An admission webhook is unreachable and rejects all updates",
	Doc: kit.Doc{
		Symptoms: "Every update of the object fails with `failed calling webhook`, including the updates of its controller. The Service of the webhook does not exist or has no endpoints, or the certificate of the webhook is not trusted (`x509: ...`).",
		Why:      "A ValidatingWebhookConfiguration or MutatingWebhookConfiguration with failurePolicy Fail matches updates of this type, and the server of the webhook does not exist or does not respond. Most often the software was uninstalled, or its namespace was deleted, and the webhook configuration was left behind. Or the certificate of the webhook expired. Where the matchConditions of the webhook ask who sends the update, the updates of the controller may be exempt: the verdict is then Unknown, unless another cause is found.",
		Fix:      "Repair the webhook, or renew its certificate. If the repair takes long, set the failurePolicy of the webhook to Ignore. If the software of the webhook was uninstalled, save and delete the webhook configuration.",
		IfForced: "A forced removal is a write and is rejected too, until the webhook works or is ignored.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
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
		certain := found && (!t.Representative || backend.SelectsAllObjects(hook))
		f := kit.RejectionFinding(o, t, certain)
		if !found {
			f.BlockedBy = stuck.Culprit{Kind: "Webhook", Name: t.Rejection.Name}
			f.Message = fmt.Sprintf("webhook %s %s and rejects all updates", t.Rejection.Name, backend.WebhookFailureText(t.Rejection.Message))
			return []stuck.Finding{f}
		}
		f.Evidence = append(f.Evidence, backend.CertificateEvidence(view, hook, t.Rejection.Message)...)
		return []stuck.Finding{completeWebhookFinding(view, f, hook, backend.WebhookFailureText(t.Rejection.Message))}
	},
}

// completeWebhookFinding completes a finding about a webhook that is known.
func completeWebhookFinding(view *cluster.View, f stuck.Finding, hook backend.Webhook, failure string) stuck.Finding {
	f.Message = fmt.Sprintf("webhook %s %s and rejects all updates (%s)", hook.Name, failure, hook.ConfigurationRef)
	f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	if hook.Service != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *hook.Service)...)
	} else {
		f.Evidence = append(f.Evidence, "the webhook is called at "+hook.URL)
	}
	bypass, decidesByUser := backend.WebhookBypassSteps(hook), backend.DependsOnUser(hook.MatchConditions)
	if decidesByUser {
		bypass = bypass[:1]
		bypass[0].Description = "if its matchConditions do not exempt the controller, " + bypass[0].Description
	}
	f.Steps = append(f.Steps, backend.WebhookRepairSteps(view, hook, failure == backend.WebhookUntrusted)...)
	f.Steps = append(f.Steps, bypass...)
	if hook.Service != nil {
		kit.AddServiceRoot(view, &f, *hook.Service)
	}
	if decidesByUser {
		return exemptingWebhookFinding(f, hook, failure)
	}
	return f
}

// exemptingWebhookFinding is about a webhook that may exempt the controller: what it rejects is the update of the user. It
// is no reason to delete the webhook.
func exemptingWebhookFinding(f stuck.Finding, hook backend.Webhook, failure string) stuck.Finding {
	f.Certainty = stuck.Likely
	f.Evidence = append(f.Evidence, kit.UserConditions(hook)...)
	f.Steps = append([]stuck.Step{{
		Action: stuck.ActionCheck, Description: "see whether the matchConditions of the webhook exempt the controller",
		Command: stuck.Shellf("kubectl get %s %s -o jsonpath='{.webhooks[%d].matchConditions}'", strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName, hook.Index),
	}}, f.Steps...)
	return kit.RejectsUser(f, fmt.Sprintf("webhook %s %s and rejects", hook.Name, failure))
}

// unprobedWebhookFindings is a webhook that supports no dry run, and that is known to
// be unreachable. The API server has said that it would be called.
func unprobedWebhookFindings(view *cluster.View, o stuck.Object, name string) []stuck.Finding {
	hook, found := backend.RejectingWebhook(view, &apitext.Rejection{Name: name}, o)
	if !found || hook.IgnoresFailure || !kit.IsWebhookUnreachable(view, hook) {
		return nil
	}
	says := "the API server would call the webhook, which supports no dry run: not checked whether an update is rejected"
	return []stuck.Finding{completeWebhookFinding(view, unprobedFinding(o, says), hook, backend.WebhookUnreachable)}
}

// unreachableWebhooks are the webhooks that, by their rules, match updates of
// the object and are unreachable. It is how one finds out without a dry run.
func unreachableWebhooks(view *cluster.View, o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, hook := range backend.Webhooks(view).Items {
		if !hook.IgnoresFailure && backend.MatchesUpdate(view, hook, o) && kit.IsWebhookUnreachable(view, hook) {
			f := unprobedFinding(o, fmt.Sprintf("the webhook matches updates of %s (failurePolicy: Fail)", o.Type), "not checked: whether an update is rejected")
			out = append(out, completeWebhookFinding(view, f, hook, backend.WebhookUnreachable))
		}
	}
	return out
}

// unprobedFinding is a finding without a dry run.
func unprobedFinding(o stuck.Object, evidence ...string) stuck.Finding {
	f := kit.RejectionFinding(o, cluster.ProbeResult{Rejection: &apitext.Rejection{}}, false)
	f.Evidence = evidence
	return f
}

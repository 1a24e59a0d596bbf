package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteWebhookDown is an admission webhook that nobody answers for: the API
// server refuses each write that it would have shown to it.
var WriteWebhookDown = Cause{
	ID:    "write-webhook-down",
	Title: "The finalizers cannot be removed because an admission webhook does not answer",
	Doc: Doc{
		Shows: "Every update of the object, that of its controller included, fails with `failed calling webhook`: its service is not found, has no endpoints, or its certificate is not accepted (`x509: ...`).",
		Why:   "A ValidatingWebhookConfiguration or MutatingWebhookConfiguration with failurePolicy Fail asks the API server to show it updates of this type, and what should answer is gone. Most often the software behind it was uninstalled, or its namespace deleted, and the configuration was left; or its certificate expired and nobody renewed it.",
		Fix:   "Bring the webhook back, or renew its certificate. If that takes long, let the API server go on without it (failurePolicy Ignore); if its software is gone for good, save and delete that one configuration.",
		Force: "A forced removal is a write like any other and is refused too, until the webhook is out of the way.",
	},
	Applies: held,
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		t := see.Probe(o)
		switch {
		case t.Accepted:
			return nil
		case t.Refusal == nil:
			return unanswered(see, o)
		case t.Refusal.By == cluster.WebhookUntried:
			return untried(see, o, t.Refusal.Name)
		case t.Refusal.By != cluster.WebhookFailed:
			return nil
		}
		hook, found := hookOf(see, t.Refusal)
		certain := found && !personal(hook.Conditions) && (!t.Others || owner.SelectsAll(hook))
		f := refusal(o, t, certain)
		if !found {
			f.Culprit = stuck.Culprit{Kind: "Webhook", Name: t.Refusal.Name}
			f.Summary = fmt.Sprintf("it cannot be updated: admission webhook %s %s", t.Refusal.Name, silence(t.Refusal.Says))
			return []stuck.Finding{f}
		}
		f.Evidence = append(f.Evidence, owner.Certificate(see, hook, t.Refusal.Says)...)
		return []stuck.Finding{blame(see, f, hook, silence(t.Refusal.Says))}
	},
}

// silence says in what way a webhook does not answer.
func silence(says string) string {
	if _, why, ok := strings.Cut(says, "x509: "); ok {
		return "is not trusted: x509: " + why
	}
	return "does not answer"
}

// hookOf is the webhook that a refusal names. Names are unique within one
// configuration only, so where several share one it is that whose service or
// address is in the message, and none where that does not tell.
func hookOf(see *cluster.View, r *cluster.Refusal) (cluster.Webhook, bool) {
	named := see.Webhooks()
	hooks := slices.DeleteFunc(slices.Clone(named.Items), func(h cluster.Webhook) bool { return h.Name != r.Name })
	if len(hooks) > 1 {
		hooks = slices.DeleteFunc(hooks, func(h cluster.Webhook) bool { return !strings.Contains(r.Says, addressOf(h)) })
	}
	if len(hooks) != 1 || !named.Complete {
		return cluster.Webhook{}, false
	}
	return hooks[0], true
}

// addressOf is how the API server addresses a webhook
// (k8s.io/apiserver/pkg/util/webhook/client.go).
func addressOf(h cluster.Webhook) string {
	if h.Service == nil {
		return h.URL
	}
	return fmt.Sprintf("//%s.%s.svc:", h.Service.Name, h.Service.Namespace)
}

// blame completes a finding about a webhook that is known.
func blame(see *cluster.View, f stuck.Finding, hook cluster.Webhook, silence string) stuck.Finding {
	f.Summary = fmt.Sprintf("it cannot be updated: webhook %s of %s %s", hook.Name, hook.Configuration, silence)
	f.Culprit = stuck.Culprit{Kind: hook.Type.Kind, Name: hook.Holder}
	if hook.Service != nil {
		f.Evidence = append(f.Evidence, owner.ServiceState(see, *hook.Service)...)
	} else {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	}
	f.Fix = append(f.Fix, owner.ReviveWebhook(see, hook, strings.Contains(silence, "x509: "))...)
	f.Fix = append(f.Fix, owner.WithoutWebhook(hook)...)
	return f
}

// untried is a webhook that no dry run may be shown to, and that is known to
// be down. The API server has said that a write would be shown to it.
func untried(see *cluster.View, o stuck.Object, name string) []stuck.Finding {
	hook, found := hookOf(see, &cluster.Refusal{Name: name})
	if !found || hook.Ignored || !down(see, hook) {
		return nil
	}
	return []stuck.Finding{blame(see, supposed(o, "it takes no dry runs, so whether a write is refused could not be tried, but one would be shown to it"), hook, "does not answer")}
}

// unanswered are the webhooks that, by their rules, would be shown a write of
// the object and are down. It is how one finds out without a dry run.
func unanswered(see *cluster.View, o stuck.Object) []stuck.Finding {
	var out []stuck.Finding
	for _, hook := range see.Webhooks().Items {
		if !hook.Ignored && owner.Shown(see, hook, o) && down(see, hook) {
			says := fmt.Sprintf("its rules ask for updates of %s here, and its failurePolicy is Fail; whether a write is refused was not tried", o.Type)
			out = append(out, blame(see, supposed(o, says), hook, "does not answer"))
		}
	}
	return out
}

// supposed is a finding that nothing was tried for.
func supposed(o stuck.Object, says string) stuck.Finding {
	f := refusal(o, cluster.Trial{Refusal: &cluster.Refusal{}}, false)
	f.Evidence = []string{says}
	return f
}

// down says whether nothing can answer behind a webhook's Service.
func down(see *cluster.View, hook cluster.Webhook) bool {
	return hook.Service != nil && len(owner.ServiceState(see, *hook.Service)) > 0
}

package backend

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WebhookRepairSteps is how a webhook is brought back that does not answer, or whose
// certificate is not trusted.
func WebhookRepairSteps(view *cluster.View, hook Webhook, untrusted bool) []stuck.Step {
	kind := strings.ToLower(hook.ConfigurationType.Kind)
	switch {
	case untrusted:
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "renew its certificate, or put the authority that signed it into the caBundle of its configuration; see which one is there",
			Command: stuck.Shellf("kubectl get %s %s -o jsonpath='{.webhooks[%d].clientConfig.caBundle}' | base64 -d | openssl x509 -noout -subject -dates",
				kind, hook.ConfigurationName, hook.Index),
		}}
	case hook.Service == nil:
		return []stuck.Step{{Action: stuck.ActionChange, Description: "bring back what answers at " + hook.URL}}
	}
	return ServiceRepairSteps(view, *hook.Service)
}

// WebhookBypassSteps is how the API server does without a webhook: for now, or for
// good.
func WebhookBypassSteps(hook Webhook) []stuck.Step {
	kind, name := strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName
	what := "only if its software is gone for good, save its configuration and delete it"
	if hook.OtherWebhooks > 0 {
		what = fmt.Sprintf("only if its software is gone for good, save its configuration, which holds %d more, and delete it", hook.OtherWebhooks)
	}
	return []stuck.Step{{
		Action:      stuck.ActionChange,
		Description: "until then let the API server go on without it; nothing that it would check or fill in is checked or filled in meanwhile",
		Command: stuck.Shellf(`kubectl patch %s %s --type=json -p '[{"op":"test","path":"/webhooks/%d/name","value":%q},{"op":"add","path":"/webhooks/%d/failurePolicy","value":"Ignore"}]'`,
			kind, name, hook.Index, hook.Name, hook.Index),
	}, {Action: stuck.ActionDelete, Description: what, Command: stuck.Shellf("kubectl get %s %s -o yaml > %s.yaml && kubectl delete %s %s", kind, name, name, kind, name)}}
}

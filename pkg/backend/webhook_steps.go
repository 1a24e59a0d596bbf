package backend

import (
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WebhookRepairSteps are how a webhook works again that is unreachable, or whose
// certificate is not trusted.
func WebhookRepairSteps(view *cluster.View, hook Webhook, untrusted bool) []stuck.Step {
	kind := strings.ToLower(hook.ConfigurationType.Kind)
	switch {
	case untrusted:
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see which CA the API server trusts for the webhook",
			Command: stuck.Shellf("kubectl get %s %s -o jsonpath='{.webhooks[%d].clientConfig.caBundle}' | base64 -d | openssl x509 -noout -subject -dates",
				kind, hook.ConfigurationName, hook.Index),
		}, {
			Action:      stuck.ActionChange,
			Description: "renew the certificate of the webhook, or put the CA that signed it into the caBundle",
		}}
	case hook.Service == nil:
		return []stuck.Step{{Action: stuck.ActionChange, Description: "start the server at " + hook.URL + " again"}}
	}
	return ServiceRepairSteps(view, *hook.Service)
}

// WebhookTimeoutStep is how the API server hardly waits for a webhook whose failures it ignores.
func WebhookTimeoutStep(hook Webhook) stuck.Step {
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "let the API server wait 1s for the webhook until it works again",
		Command: stuck.Shellf(`kubectl patch %s %s --type=json -p '[{"op":"test","path":"/webhooks/%d/name","value":%q},{"op":"add","path":"/webhooks/%d/timeoutSeconds","value":1}]'`,
			strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName, hook.Index, hook.Name, hook.Index),
	}
}

// WebhookBypassSteps are how the API server works without a webhook: temporarily, or
// permanently.
func WebhookBypassSteps(hook Webhook) []stuck.Step {
	kind, name := strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName
	return []stuck.Step{{
		Action:      stuck.ActionChange,
		Description: "ignore failures of the webhook until it works again (its validation and defaulting are skipped)",
		Command: stuck.Shellf(`kubectl patch %s %s --type=json -p '[{"op":"test","path":"/webhooks/%d/name","value":%q},{"op":"add","path":"/webhooks/%d/failurePolicy","value":"Ignore"}]'`,
			kind, name, hook.Index, hook.Name, hook.Index),
	}, DeleteConfigurationStep(hook, "only if its software was uninstalled")}
}

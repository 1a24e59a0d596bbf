package backend

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WebhookFailureText says in what way a webhook does not answer.
func WebhookFailureText(says string) string {
	if _, why, ok := strings.Cut(says, "x509: "); ok {
		return "is not trusted: x509: " + why
	}
	return "does not answer"
}

// WebhookOf is the webhook that a refusal names. Names are unique within one
// configuration only, so where several share one it is that whose service or
// address is in the message, and none where that does not tell.
func WebhookOf(view *cluster.View, r *apitext.Rejection) (Webhook, bool) {
	named := Webhooks(view)
	hooks := slices.DeleteFunc(slices.Clone(named.Items), func(h Webhook) bool { return h.Name != r.Name })
	if len(hooks) > 1 {
		hooks = slices.DeleteFunc(hooks, func(h Webhook) bool { return !strings.Contains(r.Message, webhookAddress(h)) })
	}
	if len(hooks) != 1 || !named.Complete {
		return Webhook{}, false
	}
	return hooks[0], true
}

// webhookAddress is how the API server addresses a webhook
// (k8s.io/apiserver/pkg/util/webhook/client.go).
func webhookAddress(h Webhook) string {
	if h.Service == nil {
		return h.URL
	}
	return fmt.Sprintf("//%s.%s.svc:", h.Service.Name, h.Service.Namespace)
}

// MatchesDelete reports whether a webhook is asked before objects of a type are
// deleted. Selectors can only make it fewer of them.
func MatchesDelete(hook Webhook, kind cluster.TypeName) bool {
	resource, group, _ := strings.Cut(kind.Plural, ".")
	has := func(all []string, one string) bool {
		return slices.Contains(all, one) || slices.Contains(all, "*") || slices.Contains(all, "*/*")
	}
	return slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool {
		deletes := slices.Contains(r.Operations, admissionv1.Delete) || slices.Contains(r.Operations, admissionv1.OperationAll)
		return deletes && has(r.APIGroups, group) && has(r.Resources, resource)
	})
}

// RemoveWebhookSteps are the steps that do away with a webhook and keep its
// configuration.
func RemoveWebhookSteps(hook Webhook, when string) []stuck.Step {
	what := "delete it"
	if hook.OtherWebhooks > 0 {
		what += fmt.Sprintf(", with the other webhooks in it (%d), and put them back afterwards", hook.OtherWebhooks)
	}
	kind := strings.ToLower(hook.ConfigurationType.Kind)
	return []stuck.Step{
		{What: when + " save the webhook's configuration", Command: stuck.Shellf("kubectl get %s %s -o yaml > %s.yaml", kind, hook.ConfigurationName, hook.ConfigurationName)},
		{What: "and " + what, Command: stuck.Shellf("kubectl delete %s %s", kind, hook.ConfigurationName)},
	}
}

// DependsOnUser reports whether CEL expressions ask who sends a request: then what is
// refused to one may be allowed to another
// (k8s.io/apiserver/pkg/admission/plugin/cel/compile.go names the variables).
func DependsOnUser(expressions []string) bool {
	for _, e := range expressions {
		if strings.Contains(e, "userInfo") || strings.Contains(e, "authorizer") {
			return true
		}
	}
	return false
}

// DescribeAPIServiceStep is the step that shows what the API server says of an
// APIService.
func DescribeAPIServiceStep(name string) stuck.Step {
	return stuck.Step{What: "see what the API server says of it", Command: stuck.Shellf("kubectl describe apiservice %s", name)}
}

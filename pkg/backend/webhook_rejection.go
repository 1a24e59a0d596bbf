package backend

import (
	"fmt"
	"path"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WebhookFailureText says in what way a webhook does not answer.
func WebhookFailureText(says string) string {
	if why, ok := apitext.CertificateError(says); ok {
		return "is not trusted: x509: " + why
	}
	return "does not answer"
}

// RejectingWebhook is the webhook that refused an update of an object, none where that
// cannot be told: of those that it may be, the one whose rules match the request.
func RejectingWebhook(view *cluster.View, r *apitext.Rejection, o stuck.Object) (Webhook, bool) {
	hooks := WebhooksNamedInRejection(view, r)
	if len(hooks.Items) > 1 {
		hooks.Items = slices.DeleteFunc(hooks.Items, func(h Webhook) bool { return !rulesMatch(h.Rules, admissionv1.Update, o.Type) })
	}
	if len(hooks.Items) != 1 || !hooks.Complete {
		return Webhook{}, false
	}
	return hooks.Items[0], true
}

// WebhooksNamedInRejection are the webhooks that a refusal may speak of. Names are unique within
// one configuration only, so several may share one: then they are those whose
// address is in the message, if there is one in it.
func WebhooksNamedInRejection(view *cluster.View, r *apitext.Rejection) cluster.List[Webhook] {
	out := Webhooks(view)
	out.Items = slices.DeleteFunc(out.Items, func(h Webhook) bool { return h.Name != r.Name })
	if url, ok := r.CalledURL(); ok && len(out.Items) > 1 {
		out.Items = slices.DeleteFunc(out.Items, func(h Webhook) bool { return !strings.Contains(url, webhookAddress(h)) })
	}
	return out
}

// webhookAddress is how the API server addresses a webhook
// (k8s.io/apiserver/pkg/util/webhook/client.go).
func webhookAddress(h Webhook) string {
	if h.Service == nil {
		return h.URL
	}
	return fmt.Sprintf("//%s.%s.svc:%d%s?", h.Service.Name, h.Service.Namespace, h.Port, path.Join("/", h.Path))
}

// MatchesDelete reports whether a webhook is asked before objects of a type are
// deleted. Selectors can only make it fewer of them.
func MatchesDelete(hook Webhook, kind cluster.TypeName) bool {
	has := func(all []string, one string) bool {
		return slices.Contains(all, one) || slices.Contains(all, "*") || slices.Contains(all, "*/*")
	}
	return slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool {
		deletes := slices.Contains(r.Operations, admissionv1.Delete) || slices.Contains(r.Operations, admissionv1.OperationAll)
		return deletes && has(r.APIGroups, kind.Resource.Group) && has(r.Resources, kind.Resource.Resource)
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
		{Action: stuck.ActionCheck, Description: when + " save the webhook's configuration", Command: stuck.Shellf("kubectl get %s %s -o yaml > %s.yaml", kind, hook.ConfigurationName, hook.ConfigurationName)},
		{Action: stuck.ActionDelete, Description: "and " + what, Command: stuck.Shellf("kubectl delete %s %s", kind, hook.ConfigurationName)},
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
	return stuck.Step{Action: stuck.ActionCheck, Description: "see what the API server says of it", Command: stuck.Shellf("kubectl describe apiservice %s", name)}
}

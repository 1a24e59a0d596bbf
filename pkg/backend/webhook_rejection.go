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

// What is wrong with a webhook that could not be called.
const (
	WebhookUnreachable = "is unreachable"
	WebhookUntrusted   = "is not trusted"
	WebhookFails       = "fails"
)

// WebhookFailureText says in what way a call of a webhook failed, by the error of the
// API server. One that got as far as an HTTP status has reached something.
func WebhookFailureText(says string) string {
	switch _, untrusted := apitext.CertificateError(says); {
	case untrusted:
		return WebhookUntrusted
	case strings.Contains(says, `Post "`):
		return WebhookUnreachable
	}
	return WebhookFails
}

// RejectingWebhook is the webhook that rejected an update of an object, none where that
// is not known: of those that it may be, the one whose rules match the request.
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

// WebhooksNamedInRejection are the webhooks that a rejection may name. Names are unique within
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

// DeleteConfigurationStep is the step that saves the configuration of a webhook and
// deletes it, with the condition under which that is right.
func DeleteConfigurationStep(hook Webhook, condition string) stuck.Step {
	kind, name := strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName
	what := "save and delete the configuration"
	if hook.OtherWebhooks > 0 {
		what += " with " + stuck.Count(hook.OtherWebhooks, "other webhook")
	}
	return stuck.Step{
		Action: stuck.ActionDelete, Description: what + ", " + condition,
		Command: stuck.Shellf("kubectl get %s %s -o yaml > %s.yaml && kubectl delete %s %s", kind, name, name, kind, name),
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

// DescribeAPIServiceStep is the step that shows the conditions of an APIService.
func DescribeAPIServiceStep(name string) stuck.Step {
	return stuck.Step{Action: stuck.ActionCheck, Description: "see the conditions of apiservice/" + name, Command: stuck.Shellf("kubectl describe apiservice %s", name)}
}

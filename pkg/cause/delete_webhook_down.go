package cause

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeleteWebhookDown keeps the namespace controller from deleting objects: a
// webhook that wants to be asked first does not answer.
var DeleteWebhookDown = Cause{
	ID:    "delete-webhook-down",
	Title: "Objects cannot be deleted because an admission webhook does not answer",
	Doc: Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `failed calling webhook`. The objects have no deletionTimestamp.",
		Why:      "A webhook is to be asked before objects of the type are deleted, and what should answer is gone, often because it lived in the namespace that is being deleted. Its failurePolicy is Fail, so the API server refuses.",
		Fix:      "Bring the webhook's Service back. If its software is gone for good, save the one configuration that names it and delete it; the namespace controller tries again by itself.",
		IfForced: "The objects that nobody could delete stay in etcd, and so does what they stand for outside.",
	},
	Applies: isDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, r := range deletionRefusals(view, o.Name) {
			if r.By == apitext.WebhookFailed {
				findings = append(findings, webhookFindings(view, o, r, deleteWebhookDown)...)
			}
		}
		return findings
	},
}

// deletionRefusals are the refusals to delete that the namespace's conditions
// speak of, each once.
func deletionRefusals(view *cluster.View, namespace string) []apitext.Rejection {
	ns := view.Namespace(namespace)
	if !ns.Found() {
		return nil
	}
	var out []apitext.Rejection
	for _, failure := range apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures {
		r, ok := apitext.ParseRejection(failure)
		if ok && !slices.ContainsFunc(out, func(other apitext.Rejection) bool { return reflect.DeepEqual(r, other) }) {
			out = append(out, r)
		}
	}
	return out
}

// deletionBlock is what a refusal keeps from being deleted, and how sure that is.
type deletionBlock struct {
	certainty stuck.Certainty
	objects   string
}

// webhookFindings checks what the conditions say of a webhook: that it is
// there, asks to be asked, and that objects are there which it is asked about.
func webhookFindings(view *cluster.View, o stuck.Object, r apitext.Rejection, finding func(*cluster.View, apitext.Rejection, backend.Webhook, deletionBlock) stuck.Finding) []stuck.Finding {
	var findings []stuck.Finding
	content := view.NamespaceContent(o.Name)
	for _, hook := range backend.Webhooks(view).Items {
		if hook.Name != r.Name {
			continue
		}
		left := map[cluster.TypeName]int{}
		for kind, n := range content.NotDeleted {
			if matchesDelete(hook, kind) {
				left[kind] = n
			}
		}
		b := deletionBlock{certainty: stuck.Proven, objects: formatCounts(left)}
		switch {
		case len(left) == 0 && content.Complete:
			continue // the condition is older than what it speaks of
		case len(left) == 0:
			b = deletionBlock{certainty: stuck.Likely, objects: "objects in it"}
		}
		f := finding(view, r, hook, b)
		f.Culprit = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
		f.Verdict, f.Explains = stuck.Blocked, []string{finalizerKubernetes}
		f.IfForced = undeletedCost(content.NotDeleted)
		findings = append(findings, f)
	}
	return findings
}

// matchesDelete reports whether a webhook is asked before objects of a type are
// deleted. Selectors can only make it fewer of them.
func matchesDelete(hook backend.Webhook, kind cluster.TypeName) bool {
	resource, group, _ := strings.Cut(kind.Plural, ".")
	has := func(all []string, one string) bool {
		return slices.Contains(all, one) || slices.Contains(all, "*") || slices.Contains(all, "*/*")
	}
	return slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool {
		deletes := slices.Contains(r.Operations, admissionv1.Delete) || slices.Contains(r.Operations, admissionv1.OperationAll)
		return deletes && has(r.APIGroups, group) && has(r.Resources, resource)
	})
}

func deleteWebhookDown(view *cluster.View, r apitext.Rejection, hook backend.Webhook, b deletionBlock) stuck.Finding {
	how := webhookFailureText(r.Message)
	f := stuck.Finding{
		Summary:   fmt.Sprintf("%s cannot be deleted: webhook %s %s", b.objects, hook.Name, how),
		Certainty: stuck.Likely,
		Evidence:  append([]string{"its condition NamespaceDeletionContentFailure says: " + r.Message}, backend.CertificateEvidence(view, hook, r.Message)...),
	}
	namespaceDeleting := false
	if hook.Service == nil {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	} else {
		state := backend.ServiceProblems(view, *hook.Service)
		if len(state) > 0 {
			f.Certainty = b.certainty
		}
		f.Evidence = append(f.Evidence, state...)
		ns := view.Namespace(hook.Service.Namespace)
		if namespaceDeleting = ns.Found() && ns.Value.DeletionTimestamp != nil; namespaceDeleting {
			f.Evidence = append(f.Evidence, "nothing can be created in that namespace any more: it is being deleted")
		}
	}
	if !namespaceDeleting {
		f.Fix = backend.WebhookRepairSteps(view, hook, how != webhookFailureText(""))
	}
	f.Fix = append(f.Fix, removeWebhookSteps(hook, "only if it cannot come back,")...)
	return f
}

// undeletedCost is what a forced end of the namespace would strand of what could
// not be deleted.
func undeletedCost(left map[cluster.TypeName]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leak: stuck.LeakUnknown, What: "whatever could not be deleted"}
	}
	return stuck.Cost{Leak: namespaceCost(left).Leak, What: "what nobody could delete: " + formatCounts(left)}
}

// removeWebhookSteps are the steps that do away with a webhook and keep its
// configuration.
func removeWebhookSteps(hook backend.Webhook, when string) []stuck.Step {
	what := "delete it"
	if hook.OtherWebhooks > 0 {
		what += fmt.Sprintf(", with the other webhooks in it (%d), and put them back afterwards", hook.OtherWebhooks)
	}
	kind := strings.ToLower(hook.ConfigurationType.Kind)
	return []stuck.Step{
		{What: when + " save the webhook's configuration", Command: fmt.Sprintf("kubectl get %s %s -o yaml > %s.yaml", kind, hook.ConfigurationName, hook.ConfigurationName)},
		{What: "and " + what, Command: fmt.Sprintf("kubectl delete %s %s", kind, hook.ConfigurationName)},
	}
}

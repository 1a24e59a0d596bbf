package cause

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeleteWebhookDown keeps the namespace controller from deleting objects: a
// webhook that wants to be asked first does not answer.
var DeleteWebhookDown = Cause{
	ID:    "delete-webhook-down",
	Title: "Objects cannot be deleted because an admission webhook does not answer",
	Doc: Doc{
		Shows: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `failed calling webhook`. The objects have no deletionTimestamp.",
		Why:   "A webhook is to be asked before objects of the type are deleted, and what should answer is gone, often because it lived in the namespace that is being deleted. Its failurePolicy is Fail, so the API server refuses.",
		Fix:   "Bring the webhook's Service back. If its software is gone for good, save the one configuration that names it and delete it; the namespace controller tries again by itself.",
		Force: "The objects that nobody could delete stay in etcd, and so does what they stand for outside.",
	},
	Applies: deletingNamespace,
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, r := range refusedDeletes(see, o.Name) {
			if r.By == cluster.WebhookFailed {
				findings = append(findings, webhookFindings(see, o, r, deleteWebhookDown)...)
			}
		}
		return findings
	},
}

// refusedDeletes are the refusals to delete that the namespace's conditions
// speak of, each once.
func refusedDeletes(see *cluster.View, namespace string) []cluster.Refusal {
	ns := see.Namespace(namespace)
	if !ns.Found() {
		return nil
	}
	var out []cluster.Refusal
	for _, failure := range cluster.ReportOf(ns.Value.Status.Conditions).Failures {
		r, ok := cluster.RefusalIn(failure)
		if ok && !slices.ContainsFunc(out, func(other cluster.Refusal) bool { return reflect.DeepEqual(r, other) }) {
			out = append(out, r)
		}
	}
	return out
}

// blocked is what a refusal keeps from being deleted, and how sure that is.
type blocked struct {
	left stuck.Certainty
	what string
}

// webhookFindings checks what the conditions say of a webhook: that it is
// there, asks to be asked, and that objects are there which it is asked about.
func webhookFindings(see *cluster.View, o stuck.Object, r cluster.Refusal, finding func(*cluster.View, cluster.Refusal, cluster.Webhook, blocked) stuck.Finding) []stuck.Finding {
	var findings []stuck.Finding
	content := see.Content(o.Name)
	for _, hook := range see.Webhooks().Items {
		if hook.Name != r.Name {
			continue
		}
		left := map[cluster.Kind]int{}
		for kind, n := range content.Left {
			if asksOnDelete(hook, kind) {
				left[kind] = n
			}
		}
		b := blocked{left: stuck.Proven, what: tallyKinds(left)}
		switch {
		case len(left) == 0 && content.Complete:
			continue // the condition is older than what it speaks of
		case len(left) == 0:
			b = blocked{left: stuck.Likely, what: "objects in it"}
		}
		f := finding(see, r, hook, b)
		f.Culprit = stuck.Culprit{Kind: hook.Type.Kind, Name: hook.Holder}
		f.Verdict, f.Explains = stuck.Blocked, []string{finalizerKubernetes}
		f.IfForced = undeleted(content.Left)
		findings = append(findings, f)
	}
	return findings
}

// asksOnDelete says whether a webhook is asked before objects of a type are
// deleted. Selectors can only make it fewer of them.
func asksOnDelete(hook cluster.Webhook, kind cluster.Kind) bool {
	resource, group, _ := strings.Cut(kind.Many, ".")
	has := func(all []string, one string) bool {
		return slices.Contains(all, one) || slices.Contains(all, "*") || slices.Contains(all, "*/*")
	}
	return slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool {
		deletes := slices.Contains(r.Operations, admissionv1.Delete) || slices.Contains(r.Operations, admissionv1.OperationAll)
		return deletes && has(r.APIGroups, group) && has(r.Resources, resource)
	})
}

func deleteWebhookDown(see *cluster.View, r cluster.Refusal, hook cluster.Webhook, b blocked) stuck.Finding {
	how := silence(r.Says)
	f := stuck.Finding{
		Summary:   fmt.Sprintf("%s cannot be deleted: webhook %s %s", b.what, hook.Name, how),
		Certainty: stuck.Likely,
		Evidence:  append([]string{"its condition NamespaceDeletionContentFailure says: " + r.Says}, owner.Certificate(see, hook, r.Says)...),
	}
	dying := false
	if hook.Service == nil {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	} else {
		state := owner.ServiceState(see, *hook.Service)
		if len(state) > 0 {
			f.Certainty = b.left
		}
		f.Evidence = append(f.Evidence, state...)
		ns := see.Namespace(hook.Service.Namespace)
		if dying = ns.Found() && ns.Value.DeletionTimestamp != nil; dying {
			f.Evidence = append(f.Evidence, "nothing can be created in that namespace any more: it is being deleted")
		}
	}
	if !dying {
		f.Fix = owner.ReviveWebhook(see, hook, how != silence(""))
	}
	f.Fix = append(f.Fix, setAside(hook, "only if it cannot come back,")...)
	return f
}

// undeleted is what a forced end of the namespace would strand of what could
// not be deleted.
func undeleted(left map[cluster.Kind]int) stuck.Cost {
	if len(left) == 0 {
		return stuck.Cost{Leak: stuck.LeakUnknown, What: "whatever could not be deleted"}
	}
	return stuck.Cost{Leak: strandedBy(left).Leak, What: "what nobody could delete: " + tallyKinds(left)}
}

// setAside are the steps that do away with a webhook and keep its
// configuration.
func setAside(hook cluster.Webhook, when string) []stuck.Step {
	what := "delete it"
	if hook.Siblings > 0 {
		what += fmt.Sprintf(", with the other webhooks in it (%d), and put them back afterwards", hook.Siblings)
	}
	kind := strings.ToLower(hook.Type.Kind)
	return []stuck.Step{
		{What: when + " save the webhook's configuration", Command: fmt.Sprintf("kubectl get %s %s -o yaml > %s.yaml", kind, hook.Holder, hook.Holder)},
		{What: "and " + what, Command: fmt.Sprintf("kubectl delete %s %s", kind, hook.Holder)},
	}
}

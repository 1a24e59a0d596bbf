package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeleteDenied keeps the namespace controller from deleting objects: a policy
// or a webhook that is well says no.
var DeleteDenied = kit.Cause{
	ID:    "delete-denied",
	Title: "Objects cannot be deleted because a policy or a webhook says no",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `ValidatingAdmissionPolicy ... denied request` or `admission webhook ... denied the request`. The object has no deletionTimestamp.",
		Why:      "Somebody does not want such objects to be deleted by anybody, and the namespace controller is anybody. It deletes the objects of a type in turn, and stops at the first that it may not.",
		Fix:      "Do what the refusal asks for. If it is in the way of what is meant to go, ask its author to exempt namespaces that are being deleted.",
		IfForced: "The objects that somebody meant to protect stay in etcd, out of reach, and so does what they stand for outside.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, r := range kit.DeletionRejections(view, o.Name) {
			switch r.By {
			case apitext.PolicyDenied:
				findings = append(findings, deleteDeniedByPolicyFindings(view, o, r)...)
			case apitext.WebhookDenied:
				findings = append(findings, kit.DeletionWebhookFindings(view, o, r, deleteDeniedByWebhookFinding)...)
			}
		}
		return findings
	},
}

func deleteDeniedByWebhookFinding(_ *cluster.View, r apitext.Rejection, hook backend.Webhook, b kit.BlockedDeletion) stuck.Finding {
	return stuck.Finding{
		Message: fmt.Sprintf("%s cannot be deleted: webhook %s says no", b.Objects, hook.Name),
		// What it said then it may not say now.
		Certainty: stuck.Likely,
		Evidence:  []string{"it said: " + r.Message},
		Steps: append([]stuck.Step{{Action: stuck.ActionCheck, Description: "do what it asks for, or see who wrote it", Command: stuck.Shellf("kubectl get %s -o yaml", hook.ConfigurationRef)}},
			backend.RemoveWebhookSteps(hook, "only if its author agrees,")...),
	}
}

// deleteDeniedByPolicyFindings checks what the conditions say of a policy: that it is still
// bound, and that objects of the type are there which nobody has deleted. The
// refusal names none: to admission plugins, the objects of a collection are
// "Unknown".
func deleteDeniedByPolicyFindings(view *cluster.View, o stuck.Object, r apitext.Rejection) []stuck.Finding {
	content, binding := view.NamespaceContent(o.Name), view.ValidatingAdmissionPolicyBinding(r.Binding)
	t, served := view.TypeForResource(r.Resource)
	n := content.NotDeleted[cluster.TypeNameOf(t)]
	if binding.Absent() || !served || n == 0 && content.Complete {
		return nil // the condition is older than that
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be deleted: policy %s says no", countText(t, n), r.Name),
		BlockedBy: stuck.Culprit{Kind: "ValidatingAdmissionPolicy", Name: r.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  []string{fmt.Sprintf("the policy, which %s binds, says: %s", r.Binding, r.Message)},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "do what it asks for: see the objects", Command: stuck.Kubectlf(o.Name, "get %s -o yaml", t)},
			{Action: stuck.ActionCheck, Description: "and the policy", Command: stuck.Shellf("kubectl get validatingadmissionpolicy %s -o yaml", r.Name)},
			{Action: stuck.ActionCheck, Description: "only if its author agrees, save what binds it", Command: stuck.Shellf("kubectl get validatingadmissionpolicybinding %s -o yaml > %s.yaml", r.Binding, r.Binding)},
			{Action: stuck.ActionDelete, Description: "and unbind it until the namespace is gone", Command: stuck.Shellf("kubectl delete validatingadmissionpolicybinding %s", r.Binding)},
		},
		OnForce: kit.UndeletedCost(content.NotDeleted),
	}
	if n > 0 && binding.Found() {
		f.Certainty = stuck.Confirmed
	}
	return []stuck.Finding{f}
}

// countText is how many objects of a type there are, as far as is known.
func countText(t stuck.Type, n int) string {
	if n == 0 {
		return t.String()
	}
	return kit.FormatCounts(map[cluster.TypeName]int{cluster.TypeNameOf(t): n})
}

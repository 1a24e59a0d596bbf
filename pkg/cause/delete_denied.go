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
// or a webhook that works denies it.
var DeleteDenied = kit.Cause{
	ID:    "delete-denied",
	Title: "A policy or a webhook denies the deletion of objects",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `ValidatingAdmissionPolicy ... denied request` or `admission webhook ... denied the request`. The object has no deletionTimestamp.",
		Why:      "The policy or the webhook applies to the namespace controller too. The namespace controller deletes the objects of a type one after the other, and stops at the first denied deletion.",
		Fix:      "Do what the message asks for, or ask the author of the policy to exempt namespaces that are being deleted.",
		IfForced: "The protected objects are left behind in etcd and cannot be reached. Their external resources are left behind too.",
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
		Message: fmt.Sprintf("webhook %s denies deletion of %s (%s)", hook.Name, b.Objects, hook.ConfigurationRef),
		// What it denied then it may allow now.
		Certainty: stuck.Likely,
		Evidence:  []string{"condition NamespaceDeletionContentFailure: " + r.Message},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see which software the webhook belongs to, and do what the message asks for", Command: stuck.Shellf("kubectl get %s -o yaml", hook.ConfigurationRef)},
			backend.DeleteConfigurationStep(hook, "only if its author agrees; recreate it afterwards"),
		},
	}
}

// deleteDeniedByPolicyFindings checks what the conditions say of a policy: that it is still
// bound, and that objects of the type exist which nobody has deleted. The
// rejection names none: to admission plugins, the objects of a collection are
// "Unknown".
func deleteDeniedByPolicyFindings(view *cluster.View, o stuck.Object, r apitext.Rejection) []stuck.Finding {
	content, binding := view.NamespaceContent(o.Name), view.ValidatingAdmissionPolicyBinding(r.Binding)
	t, served := view.TypeForResource(r.Resource)
	n := content.NotDeleted[cluster.TypeNameOf(t)]
	if binding.Absent() || !served || n == 0 && content.Complete {
		return nil // the condition is older than that
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("validatingadmissionpolicy/%s denies deletion of %s", r.Name, countText(t, n)),
		BlockedBy: stuck.Culprit{Kind: "ValidatingAdmissionPolicy", Name: r.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  []string{"condition NamespaceDeletionContentFailure: " + r.Message, "bound by validatingadmissionpolicybinding/" + r.Binding},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see the objects, and do what the message asks for", Command: readContentCommand(o.Name, t)},
			{Action: stuck.ActionCheck, Description: "see the policy", Command: stuck.Shellf("kubectl get validatingadmissionpolicy %s -o yaml", r.Name)},
			{
				Action: stuck.ActionDelete, Description: "save and delete the binding, only if its author agrees; recreate it when the namespace is deleted",
				Command: stuck.Shellf("kubectl get validatingadmissionpolicybinding %s -o yaml > %s.yaml && kubectl delete validatingadmissionpolicybinding %s", r.Binding, r.Binding, r.Binding),
			},
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

// readContentCommand prints the objects of a type in a namespace; of Secrets, only what is not secret.
func readContentCommand(namespace string, t stuck.Type) string {
	if t.IsSecret() {
		return stuck.Kubectlf(namespace, "get %s --show-labels", t)
	}
	return stuck.Kubectlf(namespace, "get %s -o yaml", t)
}

package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeleteWebhookDown keeps the namespace controller from deleting objects: a
// webhook that is called first is unreachable.
var DeleteWebhookDown = kit.Cause{
	ID:    "delete-webhook-down",
	Title: "Objects cannot be deleted because an admission webhook is unreachable",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `failed calling webhook`. The objects have no deletionTimestamp.",
		Why:      "The API server calls a webhook before it deletes objects of the type. The server of the webhook does not exist, often because the server was in the namespace that is being deleted. The failurePolicy is Fail: the API server rejects the deletion.",
		Fix:      "Make the Service of the webhook work again. If its software was uninstalled, save and delete the webhook configuration; the namespace controller then retries.",
		IfForced: "The objects that could not be deleted are left behind in etcd. Their external resources are left behind too.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, r := range kit.DeletionRejections(view, o.Name) {
			if r.By == apitext.WebhookFailed {
				findings = append(findings, kit.DeletionWebhookFindings(view, o, r, deleteWebhookDownFinding)...)
			}
		}
		return findings
	},
}

func deleteWebhookDownFinding(view *cluster.View, r apitext.Rejection, hook backend.Webhook, b kit.BlockedDeletion) stuck.Finding {
	how := backend.WebhookFailureText(r.Message)
	f := stuck.Finding{
		Message:   fmt.Sprintf("webhook %s %s and rejects deletion of %s (%s)", hook.Name, how, b.Objects, hook.ConfigurationRef),
		Certainty: stuck.Likely,
		Evidence:  append([]string{"condition NamespaceDeletionContentFailure: " + r.Message}, backend.CertificateEvidence(view, hook, r.Message)...),
	}
	namespaceDeleting := false
	if hook.Service == nil {
		f.Evidence = append(f.Evidence, "the webhook is called at "+hook.URL)
	} else {
		state := backend.ServiceProblems(view, *hook.Service)
		if len(state) > 0 {
			f.Certainty = b.Certainty
		}
		f.Evidence = append(f.Evidence, state...)
		namespaceDeleting = kit.IsTerminatingNamespaceNamed(view, hook.Service.Namespace)
	}
	if !namespaceDeleting {
		f.Steps = backend.WebhookRepairSteps(view, hook, how == backend.WebhookUntrusted)
	}
	f.Steps = append(f.Steps, backend.DeleteConfigurationStep(hook, "only if the webhook cannot be repaired"))
	if hook.Service != nil && kit.ServiceRoot(view, *hook.Service).Text != "" {
		f.Message = fmt.Sprintf("webhook %s rejects deletion of %s", hook.Name, b.Objects)
		kit.AddServiceRoot(view, &f, *hook.Service)
	}
	return f
}

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
// webhook that wants to be asked first does not answer.
var DeleteWebhookDown = kit.Cause{
	ID:    "delete-webhook-down",
	Title: "Objects cannot be deleted because an admission webhook does not answer",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `failed calling webhook`. The objects have no deletionTimestamp.",
		Why:      "A webhook is to be asked before objects of the type are deleted, and what should answer is gone, often because it lived in the namespace that is being deleted. Its failurePolicy is Fail, so the API server refuses.",
		Fix:      "Bring the webhook's Service back. If its software is gone for good, save the one configuration that names it and delete it; the namespace controller tries again by itself.",
		IfForced: "The objects that nobody could delete stay in etcd, and so does what they stand for outside.",
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
		Message:   fmt.Sprintf("%s cannot be deleted: webhook %s %s", b.Objects, hook.Name, how),
		Certainty: stuck.Likely,
		Evidence:  append([]string{"its condition NamespaceDeletionContentFailure says: " + r.Message}, backend.CertificateEvidence(view, hook, r.Message)...),
	}
	namespaceDeleting := false
	if hook.Service == nil {
		f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
	} else {
		state := backend.ServiceProblems(view, *hook.Service)
		if len(state) > 0 {
			f.Certainty = b.Certainty
		}
		f.Evidence = append(f.Evidence, state...)
		ns := view.Namespace(hook.Service.Namespace)
		if namespaceDeleting = ns.Found() && ns.Value.DeletionTimestamp != nil; namespaceDeleting {
			f.Evidence = append(f.Evidence, "nothing can be created in that namespace any more: it is being deleted")
		}
	}
	if !namespaceDeleting {
		f.Steps = backend.WebhookRepairSteps(view, hook, how != backend.WebhookFailureText(""))
	}
	f.Steps = append(f.Steps, backend.RemoveWebhookSteps(hook, "only if it cannot come back,")...)
	return f
}

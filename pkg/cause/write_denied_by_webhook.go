package cause

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteDeniedByWebhook is an admission webhook that runs, and does not let the
// finalizers be removed.
var WriteDeniedByWebhook = kit.Cause{
	ID:    "write-denied-by-webhook",
	Title: "The finalizers cannot be removed because an admission webhook forbids it",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `admission webhook ... denied the request`.",
		Why:      "A policy engine or the software's own validation does not expect objects that are being deleted: it checks a field that is no longer right, asks for something that is gone already, or looks up labels of a namespace that is going.",
		Fix:      "Do what the message asks for, or exempt objects that have a deletionTimestamp, or this namespace, from the rule.",
		IfForced: "A forced removal is a write like any other and is denied too.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.WebhookDenied)
		if !ok {
			return nil
		}
		// Webhooks are told who asks, and nobody can see what they make of it.
		f := kit.RejectionFinding(o, t, false)
		f.Message = fmt.Sprintf("it may not be updated: admission webhook %s says: %s", t.Rejection.Name, t.Rejection.Message)
		f.BlockedBy = stuck.Culprit{Kind: "Webhook", Name: t.Rejection.Name}
		hook, found := backend.RejectingWebhook(view, t.Rejection, o)
		if !found {
			return []stuck.Finding{f}
		}
		f.Message = fmt.Sprintf("it may not be updated: webhook %s of %s says: %s", hook.Name, hook.ConfigurationRef, t.Rejection.Message)
		f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
		if hook.Service != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("it is answered by service/%s -n %s", hook.Service.Name, hook.Service.Namespace))
		} else {
			f.Evidence = append(f.Evidence, "it is called at "+hook.URL)
		}
		f.Steps = []stuck.Step{
			{Action: stuck.ActionCheck, Description: "do what it asks for; or see what it looks at, and exempt what is being deleted", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName)},
		}
		return []stuck.Finding{f}
	},
}

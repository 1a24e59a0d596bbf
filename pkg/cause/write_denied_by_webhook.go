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

// WriteDeniedByWebhook is an admission webhook that runs, and denies the removal of
// the finalizers.
var WriteDeniedByWebhook = kit.Cause{
	ID:    "write-denied-by-webhook",
	Title: "An admission webhook denies updates, so the finalizers cannot be removed",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `admission webhook ... denied the request`.",
		Why:      "A policy engine or the validation of the software does not expect objects that are being deleted. The webhook checks a field that is no longer valid, requires an object that was deleted, or reads labels of a namespace that is being deleted.",
		Fix:      "Do what the message asks for, or exempt objects that have a deletionTimestamp, or this namespace, from the rule.",
		IfForced: "A forced removal is a write and is denied too.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.WebhookDenied)
		if !ok {
			return nil
		}
		// Webhooks get the name of the user, and may decide by it.
		f := kit.RejectionFinding(o, t, false)
		f.Message = fmt.Sprintf("webhook %s denies updates of the object", t.Rejection.Name)
		f.BlockedBy = stuck.Culprit{Kind: "Webhook", Name: t.Rejection.Name}
		hook, found := backend.RejectingWebhook(view, t.Rejection, o)
		if !found {
			return []stuck.Finding{f}
		}
		f.Message = fmt.Sprintf("webhook %s denies updates of the object (%s)", hook.Name, hook.ConfigurationRef)
		f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
		if hook.Service != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("the webhook is called at %s", stuck.RefInNamespace("service", hook.Service.Name, hook.Service.Namespace)))
		} else {
			f.Evidence = append(f.Evidence, "the webhook is called at "+hook.URL)
		}
		f.Steps = []stuck.Step{
			{Action: stuck.ActionCheck, Description: "find the software of the webhook (its service and labels), which has the rule that denies", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName)},
			kit.EditStep(o, "change the object as the message asks"),
			{Action: stuck.ActionChange, Description: "exempt objects that are being deleted from that rule"},
		}
		if backend.DependsOnUser(hook.MatchConditions) {
			f.Evidence = append(f.Evidence, kit.UserConditions(hook)...)
			return kit.DecidesByUser(view, o, f, "webhook "+hook.Name)
		}
		return []stuck.Finding{f}
	},
}

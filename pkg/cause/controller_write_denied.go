package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerWriteDenied is a controller whose own writes are rejected by admission, where
// those of the user are not.
var ControllerWriteDenied = kit.Cause{
	ID:    "controller-write-denied",
	Title: "A webhook or a policy rejects the writes of the controller of a finalizer",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy. A condition, the status or a Warning event of the object quotes `admission webhook ... denied the request`, `failed calling webhook` or `ValidatingAdmissionPolicy ... denied request`. A dry run that only removes the finalizers may be accepted.",
		Why:      "The controller changes more than the finalizers: the spec, the status, or another object. A webhook, often of the same software, or a policy rejects that change: by the user, by the field, or because an object that it reads was deleted first. For example, a webhook allows no updates of a completed run, or requires the class of the object to exist.",
		Fix:      "Do what the message asks for, or exempt objects that have a deletionTimestamp from the rule. The controller then retries.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		q, ok := kit.QuotedErrorOf(view, w)
		if !ok || q.Rejection == nil {
			return nil
		}
		c := controller.RunningCandidates(view, w)[0]
		f := stuck.Finding{
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  []string{q.Source + ": " + q.Message},
			OnForce:   kit.CostWithoutController(w),
		}
		if q.Webhook != nil {
			addRejectingWebhook(view, &f, q, w, c)
		} else {
			addDenyingPolicy(&f, q.Rejection, w, c)
		}
		if t := view.Probe(w.Object); t.Accepted {
			f.Evidence = append(f.Evidence, kit.AcceptedProbe(t)+": the rejection depends on the user, or on what else the controller changes")
		}
		f.Evidence = slices.Concat(f.Evidence, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c))
		return []stuck.Finding{f}
	},
}

// addRejectingWebhook completes the finding with the webhook that rejects.
func addRejectingWebhook(view *cluster.View, f *stuck.Finding, q kit.QuotedError, w controller.Controller, c controller.Candidate) {
	hook := *q.Webhook
	f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
	if q.Rejection.By == apitext.WebhookFailed {
		failure := backend.WebhookFailureText(q.Rejection.Message)
		f.Message = fmt.Sprintf("webhook %s %s and rejects writes of %s (%s)", hook.Name, failure, kit.ControllerName(w, c), hook.ConfigurationRef)
		f.Evidence = append(f.Evidence, backend.CertificateEvidence(view, hook, q.Rejection.Message)...)
		if hook.Service != nil {
			f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *hook.Service)...)
		}
		f.Steps = append(backend.WebhookRepairSteps(view, hook, failure == backend.WebhookUntrusted), backend.WebhookBypassSteps(hook)...)
		if hook.Service != nil {
			kit.AddServiceRoot(view, f, *hook.Service)
		}
		return
	}
	f.Message = fmt.Sprintf("webhook %s denies writes of %s (%s)", hook.Name, kit.ControllerName(w, c), hook.ConfigurationRef)
	f.Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "find the software of the webhook (its service and labels), which has the rule that denies", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(hook.ConfigurationType.Kind), hook.ConfigurationName)},
		{Action: stuck.ActionChange, Description: "do what the message asks for, or exempt objects that are being deleted from that rule"},
	}
	if hook.Service != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the webhook is called at %s", stuck.RefInNamespace("service", hook.Service.Name, hook.Service.Namespace)))
	}
}

// addDenyingPolicy completes the finding with the policy that denies.
func addDenyingPolicy(f *stuck.Finding, r *apitext.Rejection, w controller.Controller, c controller.Candidate) {
	f.BlockedBy = stuck.Culprit{Kind: r.PolicyKind, Name: r.Name}
	f.Message = fmt.Sprintf("%s denies writes of %s", kit.PolicyRef(r), kit.ControllerName(w, c))
	if r.Binding != "" {
		f.Evidence = append(f.Evidence, "bound by "+kit.BindingRef(r))
	}
	f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "do what the message asks for, or exempt objects that are being deleted from the policy"}}
	if apitext.IsStaticPolicy(r.Name) {
		f.Evidence = append(f.Evidence, "the API server reads the policy from a file on the control plane; kubectl cannot show or change it")
		return
	}
	f.Steps = append([]stuck.Step{{Action: stuck.ActionCheck, Description: "see what the policy requires", Command: stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(r.PolicyKind), r.Name)}}, f.Steps...)
}

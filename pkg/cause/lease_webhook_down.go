package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// LeaseWebhookDown is a webhook without a backend that is called for updates of Leases:
// kube-controller-manager cannot renew its Lease, or not in time, and stops.
var LeaseWebhookDown = kit.Cause{
	ID:    "lease-webhook-down",
	Title: "kube-controller-manager stopped because an unreachable webhook rejects or delays updates of Leases",
	Doc: kit.Doc{
		Symptoms: "No Lease in kube-system is renewed, including the Leases of the API servers, and writes fail with `failed calling webhook`. A webhook configuration has rules for `*/*`, or for leases of coordination.k8s.io. With failurePolicy Ignore, writes succeed after timeoutSeconds, and only kube-controller-manager and other controllers lose their Leases.",
		Why:      "kube-controller-manager exits when it cannot renew its Lease. An unreachable webhook with failurePolicy Fail whose rules match Leases rejects each renewal. With failurePolicy Ignore and a timeoutSeconds of 5 or more, a Service that does not respond holds up each renewal for longer than kube-controller-manager waits for it: half of its renew deadline, which is 10s by default. Often this is a cycle: the Pods of the webhook cannot start without kube-controller-manager.",
		Fix:      "Set the failurePolicy of the webhook to Ignore, and its timeoutSeconds to 1. This update always works, because webhooks are not called for webhook configurations. Then repair the webhook, and exclude kube-system and Leases from its rules.",
		IfForced: "With failurePolicy Fail, a forced removal is a write and is rejected too. With failurePolicy Ignore, the cleanup by kube-controller-manager is skipped.",
	},
	Applies: kit.NeedsControllerManager,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, hook := range kit.WebhooksRejectingLease(view).Items {
			findings = append(findings, leaseWebhookFinding(view, o, hook))
		}
		if len(findings) > 0 {
			return findings
		}
		for _, hook := range kit.WebhooksDelayingLease(view) {
			findings = append(findings, leaseDelayFinding(view, o, hook))
		}
		return findings
	},
}

func leaseWebhookFinding(view *cluster.View, o stuck.Object, hook backend.Webhook) stuck.Finding {
	lease := kit.ControllerManagerLease(view)
	f := stuck.Finding{
		Message:   fmt.Sprintf("webhook %s is unreachable and rejects updates of Leases (%s)", hook.Name, hook.ConfigurationRef),
		BlockedBy: stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  kit.ControllerManagerFinalizers(o),
		Evidence: append(backend.ServiceProblems(view, *hook.Service),
			"the webhook matches updates of leases.coordination.k8s.io -n kube-system (failurePolicy: Fail)",
			fmt.Sprintf("kube-controller-manager has not renewed its Lease for %s, and exits when it cannot", duration.HumanDuration(lease.Value.Age()))),
		OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "a forced removal is a write and is rejected too"},
	}
	if newest, _ := cluster.NewestAPIServerLease(view); newest != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the API server responds, but has not renewed its own Lease for %s (expected: every 10s)", duration.HumanDuration(newest.Age())))
	}
	// While the webhook rejects every write, its Pods cannot be started: it has to be
	// ignored first.
	bypass := backend.WebhookBypassSteps(hook)
	bypass[0].Description = "ignore failures of the webhook (its validation and defaulting are skipped)"
	f.Steps = append(f.Steps, bypass[0],
		stuck.Step{Action: stuck.ActionCheck, Description: "see whether kube-controller-manager runs again", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager"})
	f.Steps = append(f.Steps, backend.WebhookRepairSteps(view, hook, false)...)
	f.Steps = append(f.Steps, bypass[1:]...)
	return f
}

// leaseDelayFinding is that the failures of a webhook are ignored, but only after the API server has waited for it.
func leaseDelayFinding(view *cluster.View, o stuck.Object, hook backend.Webhook) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("webhook %s is unreachable and delays updates of Leases (%s)", hook.Name, hook.ConfigurationRef),
		BlockedBy: stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  kit.ControllerManagerFinalizers(o),
		Evidence: append(backend.ServiceProblems(view, *hook.Service),
			fmt.Sprintf("the webhook matches updates of leases.coordination.k8s.io -n kube-system (failurePolicy: Ignore, timeoutSeconds: %d)", hook.TimeoutSeconds),
			fmt.Sprintf("kube-controller-manager waits %ds for an update of its Lease by default, and exits when it cannot renew it", kit.LeaseRequestTimeout)),
		OnForce: kit.ControllerManagerCost(view, o),
	}
	f.Steps = append(f.Steps, backend.WebhookTimeoutStep(hook),
		stuck.Step{Action: stuck.ActionCheck, Description: "see whether kube-controller-manager runs again", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager"})
	f.Steps = append(f.Steps, backend.WebhookRepairSteps(view, hook, false)...)
	f.Steps = append(f.Steps, backend.DeleteConfigurationStep(hook, "only if its software was uninstalled"))
	return f
}

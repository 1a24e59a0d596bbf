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
// kube-controller-manager cannot renew its Lease, and stops.
var LeaseWebhookDown = kit.Cause{
	ID:    "lease-webhook-down",
	Title: "kube-controller-manager stopped because an unreachable webhook rejects updates of Leases",
	Doc: kit.Doc{
		Symptoms: "No Lease in kube-system is renewed, including the Leases of the API servers, and writes fail with `failed calling webhook`. A webhook configuration has rules for `*/*`, or for leases of coordination.k8s.io.",
		Why:      "kube-controller-manager exits when it cannot renew its Lease. An unreachable webhook with failurePolicy Fail whose rules match Leases rejects each renewal. Often this is a cycle: the Pods of the webhook cannot start without kube-controller-manager.",
		Fix:      "Set the failurePolicy of the webhook to Ignore. This update always works, because webhooks are not called for webhook configurations. Then repair the webhook, and exclude kube-system and Leases from its rules.",
		IfForced: "A forced removal is a write and is rejected too.",
	},
	Applies: kit.NeedsControllerManager,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, hook := range kit.WebhooksRejectingLease(view).Items {
			findings = append(findings, leaseWebhookFinding(view, o, hook))
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

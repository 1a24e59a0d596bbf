package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// LeaseWebhookDown is a webhook without a backend that is shown updates of Leases:
// kube-controller-manager cannot renew its own, and stops.
var LeaseWebhookDown = kit.Cause{
	ID:    "lease-webhook-down",
	Title: "kube-controller-manager has stopped because an unreachable webhook rejects updates of Leases",
	Doc: kit.Doc{
		Symptoms: "No Lease in kube-system is renewed any more, the API servers' own included, and writes fail with `failed calling webhook`. A webhook configuration has rules for `*/*`, or for leases of coordination.k8s.io.",
		Why:      "kube-controller-manager ends when it cannot renew its Lease. A webhook with failurePolicy Fail whose rules cover Leases, and that nobody answers for, rejects each renewal. Often it is a circle: the webhook's own Pods cannot be started without kube-controller-manager.",
		Fix:      "Let the API server ignore the webhook (failurePolicy Ignore); configurations of webhooks are not shown to webhooks, so this always works. Then bring it back, and keep kube-system and Leases out of its rules.",
		IfForced: "Nothing happens: while this lasts, a removal is rejected like every other write.",
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
		Message:   fmt.Sprintf("kube-controller-manager has stopped: webhook %s of %s is unreachable and rejects updates of its Lease", hook.Name, hook.ConfigurationRef),
		BlockedBy: stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  kit.ControllerManagerFinalizers(o),
		Evidence: append(backend.ServiceProblems(view, *hook.Service),
			"its rules cover updates of leases.coordination.k8s.io -n kube-system, and its failurePolicy is Fail",
			fmt.Sprintf("kube-controller-manager has not renewed its Lease for %s, and ends when it cannot", duration.HumanDuration(lease.Value.Age()))),
		OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "nothing can be forced now: the webhook rejects a removal too"},
	}
	if newest, _ := cluster.NewestAPIServerLease(view); newest != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the API server answers, and has not renewed its own Lease for %s; it should every ten seconds", duration.HumanDuration(newest.Age())))
	}
	// While it rejects every write, nothing of it can be started: it has to be
	// ignored first.
	bypass := backend.WebhookBypassSteps(hook)
	bypass[0].Description = "let the API server ignore the webhook; what it validates or sets is not validated or set meanwhile"
	f.Steps = append(f.Steps, bypass[0],
		stuck.Step{Action: stuck.ActionCheck, Description: "see that kube-controller-manager runs again", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager"})
	f.Steps = append(f.Steps, backend.WebhookRepairSteps(view, hook, false)...)
	f.Steps = append(f.Steps, bypass[1:]...)
	return f
}

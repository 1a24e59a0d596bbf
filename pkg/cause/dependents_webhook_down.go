package cause

import (
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DependentsWebhookDown keeps the garbage collector from what it does to the dependents of
// an object: it deletes them first (foreground), or removes the owner reference from
// them (orphan; orphanDependents in
// kubernetes/pkg/controller/garbagecollector/garbagecollector.go stops at the first error).
var DependentsWebhookDown = kit.Cause{
	ID:    "dependents-webhook-down",
	Title: "The garbage collector cannot change dependents because a webhook is unreachable",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion` and a dependent that nobody has deleted, or the finalizer `orphan` and a dependent that still has its owner reference. A webhook configuration with failurePolicy Fail matches the dependent, and the Service of the webhook does not exist or has no endpoints.",
		Why:      "The garbage collector sends a DELETE for each dependent (foreground), or a PATCH that removes the owner reference (orphan). Both go through admission. The API server rejects them while the webhook is unreachable.",
		Fix:      "Repair the webhook, or set its failurePolicy to Ignore. The garbage collector then retries.",
		IfForced: "With `foregroundDeletion`, the dependents are left behind until the webhook works. With `orphan`, the dependents should be kept, but still have an owner reference to the object: the garbage collector deletes them when the webhook works.",
	},
	AfterDeletion: true,
	Applies:       func(o stuck.Object) bool { return o.Deleting() && len(kit.CollectorFinalizers(o)) > 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if o.StuckDuration(view.Now()) < kit.GarbageCollectorDelay || !kit.AnyWebhookRejects(view) {
			return nil
		}
		var findings []stuck.Finding
		for _, r := range rejectedDependents(view, o) {
			findings = append(findings, r.finding(view, o))
		}
		return findings
	},
}

// rejectedDependent is a dependent that a webhook keeps from being deleted or orphaned.
type rejectedDependent struct {
	finalizer string
	dependent stuck.Object
	hook      backend.Webhook
}

// rejectedDependents is the first dependent that each webhook rejects.
func rejectedDependents(view *cluster.View, o stuck.Object) (out []rejectedDependent) {
	seen := map[string]bool{}
	dependents := view.Dependents(o)
	for _, finalizer := range kit.CollectorFinalizers(o) {
		operation, objects := admissionv1.Update, dependents.Items
		if finalizer == metav1.FinalizerDeleteDependents {
			_, objects = kit.SplitByDeleting(kit.BlockingDependents(dependents, o).Items)
			operation = admissionv1.Delete
		}
		for _, dependent := range objects[:min(len(objects), maxDependentsTried)] {
			for _, hook := range kit.WebhooksRejecting(view, operation, dependent).Items {
				if key := finalizer + hook.ConfigurationRef + hook.Name; !seen[key] {
					seen[key] = true
					out = append(out, rejectedDependent{finalizer, dependent, hook})
				}
			}
		}
	}
	return out
}

// maxDependentsTried is of how many dependents it is looked at which webhooks match them.
const maxDependentsTried = 50

func (r rejectedDependent) finding(view *cluster.View, o stuck.Object) stuck.Finding {
	rejected, cost := "deletion", stuck.Cost{Leaves: stuck.LeakObjects, Description: "dependents are left behind until the webhook works"}
	if r.finalizer == metav1.FinalizerOrphanDependents {
		rejected = "updates"
		cost = stuck.Cost{Leaves: stuck.LeakData, Description: "dependents that should be kept are deleted when the webhook works"}
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("webhook %s %s and rejects %s of dependents", r.hook.Name, backend.WebhookUnreachable, rejected),
		BlockedBy: stuck.Culprit{Kind: r.hook.ConfigurationType.Kind, Name: r.hook.ConfigurationName},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{r.finalizer},
		Evidence: append([]string{
			fmt.Sprintf("%s depends on %s, and the webhook matches its %s (failurePolicy: Fail)", r.dependent.RefInNamespace(), o.Ref(), rejected),
			collectorRequest(r.finalizer),
			"not checked: whether the request is rejected",
		}, backend.ServiceProblems(view, *r.hook.Service)...),
		Steps:   append(backend.WebhookRepairSteps(view, r.hook, false), backend.WebhookBypassSteps(r.hook)...),
		OnForce: cost,
	}
	kit.AddServiceRoot(view, &f, *r.hook.Service)
	return f
}

// collectorRequest is what the garbage collector asks for before it removes a finalizer.
func collectorRequest(finalizer string) string {
	if finalizer == metav1.FinalizerOrphanDependents {
		return "the garbage collector first removes the owner reference from each dependent"
	}
	return "the garbage collector first deletes each dependent"
}

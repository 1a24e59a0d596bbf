package cause

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// claimReleaseDelay is how long kube-controller-manager may take to free the devices of a
// claim that nothing uses. It needs seconds.
const claimReleaseDelay = 30 * time.Second

// DeviceClaimNotReleased blocks a ResourceClaim that no Pod uses any longer, and that
// kube-controller-manager has not released.
var DeviceClaimNotReleased = kit.Cause{
	ID:    "device-claim-not-released",
	Title: "No pod uses the claim, but kube-controller-manager has not freed its devices",
	Doc: kit.Doc{
		Symptoms: "The ResourceClaim has the finalizer `resource.kubernetes.io/delete-protection`. Its `status.reservedFor` is empty, or names only pods that have ended, that do not exist, or that now have another uid.",
		Why:      "The resourceclaim controller in kube-controller-manager removes such pods from `status.reservedFor`, frees the devices (`status.allocation`) and removes the finalizer. The DRA driver does not take part in this cleanup. The resourceclaim controller is disabled (with `--controllers`, or the feature gate DynamicResourceAllocation was disabled after the claim was allocated), or its writes fail.",
		Fix:      "Read the log of kube-controller-manager, and fix the error that the log reports. Restart kube-controller-manager: when it starts, it processes every claim again.",
		IfForced: "No pod uses the devices. The scheduler may allocate the devices to another pod, as it may after the controller frees the devices.",
	},
	Applies: kit.DeletingWith(kit.FinalizerDeviceClaim),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !o.Is("resource.k8s.io", "ResourceClaim") || o.StuckDuration(view.Now()) < claimReleaseDelay || !kit.ControllerManagerRuns(view) {
			return nil
		}
		claim, ok := cluster.ReadObject[resourcev1.ResourceClaim](view, o)
		if !ok {
			return nil
		}
		lines, unused := formerConsumers(view, *claim)
		if !unused || view.Probe(o).Rejection != nil {
			return nil
		}
		return []stuck.Finding{claimNotReleasedFinding(view, *claim, lines)}
	},
}

// formerConsumers says of each entry of status.reservedFor why it keeps the claim no longer.
// Unused is false where one does, or where that is not known.
func formerConsumers(view *cluster.View, claim resourcev1.ResourceClaim) (lines []string, unused bool) {
	if len(claim.Status.ReservedFor) == 0 {
		return []string{"status.reservedFor is empty"}, true
	}
	pods := view.Pods(claim.Namespace)
	if !pods.Complete {
		return nil, false
	}
	named := map[string]corev1.Pod{}
	for _, pod := range pods.Items {
		named[pod.Name] = pod
	}
	for _, c := range claim.Status.ReservedFor {
		pod, exists := named[c.Name]
		entry := "status.reservedFor names pod/" + c.Name
		switch {
		case !kit.IsPodConsumer(c):
			return nil, false
		case !exists:
			lines = append(lines, entry+", which does not exist")
		case pod.UID != c.UID:
			lines = append(lines, fmt.Sprintf("%s with uid %s; the pod of that name today has uid %s", entry, c.UID, pod.UID))
		case kit.IsDoneWithClaims(pod):
			lines = append(lines, fmt.Sprintf("%s, which has ended (%s)", entry, pod.Status.Phase))
		default:
			return nil, false
		}
	}
	return lines[:min(len(lines), stuck.MaxUngrouped)], true
}

func claimNotReleasedFinding(view *cluster.View, claim resourcev1.ResourceClaim, lines []string) stuck.Finding {
	lease := kit.ControllerManagerLease(view).Value
	f := stuck.Finding{
		Message:   "kube-controller-manager has not freed the devices of the claim, which no pod uses",
		BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerDeviceClaim},
		Evidence:  append(lines, kit.DeviceLines(claim)...),
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "read what kube-controller-manager logs about the claim",
			Command:     stuck.Shellf("kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep %s", claim.Name),
		}, {
			Action:      stuck.ActionCheck,
			Description: "see whether its resourceclaim controller is disabled (--controllers, feature gate DynamicResourceAllocation)",
			Command:     "kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml | grep -e --controllers -e --feature-gates",
		}, kit.RestartControllerManagerStep(", which then processes every claim again")},
		OnForce: stuck.Cost{Leaves: stuck.LeakNothing, Description: "no pod uses the devices; the scheduler may give them to another pod"},
	}
	f.Evidence = append(f.Evidence, "kube-controller-manager is running, so its resourceclaim controller is disabled, or its writes fail")
	return f
}

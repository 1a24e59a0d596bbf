package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// KubeControllerManagerDown stops every deletion that Kubernetes itself has to
// finish.
var KubeControllerManagerDown = kit.Cause{
	ID:    "controller-manager-down",
	Title: "kube-controller-manager is not running",
	Doc: kit.Doc{
		Symptoms: "Namespaces are Terminating without any conditions, or with old ones; nothing is garbage-collected; new Deployments get no ReplicaSets. The Lease kube-controller-manager in kube-system is not renewed.",
		Why:      "The finalizers of namespaces, owners, claims, volumes and Pods of Jobs are removed by controllers in kube-controller-manager. kube-controller-manager renews its Lease every few seconds while it runs.",
		Fix:      "Make kube-controller-manager run again: look at its pod or unit on the control plane nodes, or ask the provider of a hosted control plane.",
		IfForced: "The cleanup by kube-controller-manager is skipped: the content of a namespace is not deleted, dependents are left behind, and volumes are not checked for Pods that use them.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || len(kit.ControllerManagerFinalizers(o)) > 0)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		lease := kit.ControllerManagerLease(view)
		if !lease.Found() {
			return nil
		}
		if expired, ok := lease.Value.Expired(view); ok && len(kit.WebhooksRejectingLease(view).Items) == 0 {
			f := controllerManagerDown(view, o, expired)
			if !kit.WebhooksRejectingLease(view).Complete {
				f.Steps = nil // it may be a webhook
			}
			return []stuck.Finding{f}
		}
		return nil
	},
}

func controllerManagerDown(view *cluster.View, o stuck.Object, lease cluster.Lease) stuck.Finding {
	holder := "an unknown holder"
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		holder = *lease.Spec.HolderIdentity
	}
	f := stuck.Finding{
		Message:   "kube-controller-manager is not running",
		BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  kit.ControllerManagerFinalizers(o),
		Evidence: []string{fmt.Sprintf("lease/kube-controller-manager was last renewed %s ago by %s (duration: %ds)",
			duration.HumanDuration(lease.Age()), holder, *lease.Spec.LeaseDurationSeconds)},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see whether the pods of kube-controller-manager run (hosted control plane: ask the provider)", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager -o wide"},
			{Action: stuck.ActionCheck, Description: "see who held the Lease, and when", Command: "kubectl -n kube-system get lease kube-controller-manager -o yaml"},
		},
		OnForce: kit.ControllerManagerCost(view, o),
	}
	// Its lease is a proof only where others can renew theirs.
	if newest, allExpired := cluster.NewestAPIServerLease(view); newest == nil || allExpired {
		f.Certainty = stuck.Likely
	}
	return f
}

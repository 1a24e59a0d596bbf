package karpenter

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodsTerminating links a Node that is drained to the Pods on it that were evicted and have not ended.
var PodsTerminating = kit.Cause{
	ID:    "karpenter-pods-terminating",
	Title: "Karpenter waits until evicted pods on a node are deleted",
	Doc: kit.Doc{
		Symptoms: "A Node with the finalizer `karpenter.sh/termination` is being deleted, and Pods on it are being deleted too. Events of the Node have the reason `FailedDraining`: `1 pods are waiting to be evicted`.",
		Why:      "Karpenter evicts the Pods and waits until they are deleted, for as long as their grace period lasts and one minute more (IsWaitingEviction in kubernetes-sigs/karpenter pkg/utils/pod/scheduling.go). The event has the type Warning also when nothing is wrong.",
		Fix:      "Wait for the Pods, or look at what keeps them. A Pod with a long `terminationGracePeriodSeconds` keeps the Node for as long.",
		IfForced: "The instance is left behind, unmanaged and billed, and the Pods are cut off from the cluster.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is("", "Node") && o.Deleting() && o.HasFinalizer(kit.FinalizerKarpenter)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var pods []stuck.Object
		for _, pod := range view.PodsOnNode(o.Name).Items {
			if kit.IsTerminatingInDrain(pod, view.Now()) {
				pods = append(pods, stuck.ObjectOf(cluster.PodType, pod.ObjectMeta))
			}
		}
		if len(pods) == 0 {
			return nil
		}
		slices.SortFunc(pods, stuck.Compare)
		return []stuck.Finding{{
			Message:   kit.NotDeletedText(pods),
			BlockedBy: kit.CulpritAmong(pods, o),
			Certainty: stuck.Likely,
			Explains:  []string{kit.FinalizerKarpenter},
			WaitsFor:  pods,
			OnForce:   kit.MachineCost(o.Name),
		}}
	},
}

package karpenter

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NodeRemains links a NodeClaim to its Node.
var NodeRemains = kit.Cause{
	ID:    "karpenter-node-remains",
	Title: "A NodeClaim waits until its node is deleted",
	Doc: kit.Doc{
		Symptoms: "A NodeClaim with the finalizer `karpenter.sh/termination` is being deleted, and the Node in its `status.nodeName` is being deleted too.",
		Why:      "Karpenter deletes the Node first: the Node is drained and its volumes are detached. Karpenter terminates the instance after the Node is deleted (finalize in kubernetes-sigs/karpenter pkg/controllers/nodeclaim/lifecycle/controller.go).",
		Fix:      "Look at the Node: whatever blocks the Node also blocks the NodeClaim.",
		IfForced: "The instance is left behind, unmanaged and billed.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is("karpenter.sh", "NodeClaim") && o.Deleting() && o.HasFinalizer(kit.FinalizerKarpenter)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, served := view.TypeForKind(schema.GroupKind{Kind: "Node"})
		claim, ok := cluster.ReadObject[NodeClaim](view, o)
		if !served || !ok || !kit.IsValidName(claim.Status.NodeName) {
			return nil
		}
		node := view.Node(claim.Status.NodeName)
		if !node.Found() || node.Value.DeletionTimestamp == nil {
			return nil
		}
		waitsFor := stuck.ObjectOf(t, node.Value.ObjectMeta)
		return []stuck.Finding{{
			Message:   waitsFor.Ref() + " is not deleted yet",
			BlockedBy: waitsFor.Culprit(),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerKarpenter},
			WaitsFor:  []stuck.Object{waitsFor},
			OnForce:   kit.MachineCost(node.Value.Name),
		}}
	},
}

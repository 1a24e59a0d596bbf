package cause

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// KarpenterNodeRemains links a NodeClaim to its Node.
var KarpenterNodeRemains = Cause{
	ID:    "karpenter-node-remains",
	Title: "A NodeClaim waits for its node to go",
	Doc: Doc{
		Shows: "A NodeClaim with `karpenter.sh/termination` is being deleted, and so is the Node in its `status.nodeName`.",
		Why:   "Karpenter deletes the Node first, which is drained and gives back its volumes, and ends the instance when the Node is gone (finalize in kubernetes-sigs/karpenter pkg/controllers/nodeclaim/lifecycle/controller.go).",
		Fix:   "Look at the Node: what holds it holds the NodeClaim.",
		Force: "The instance keeps running outside the cluster's sight and keeps costing money.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is("karpenter.sh", "NodeClaim") && o.Deleting() && o.HasFinalizer(finalizerKarpenter)
	},
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		t, served := see.Type(schema.GroupKind{Kind: "Node"})
		self := see.Machine(o)
		if !served || !self.Found() || self.Value.UID != o.UID || !proper(self.Value.Status.NodeName) {
			return nil
		}
		node := see.Node(self.Value.Status.NodeName)
		if !node.Found() || node.Value.DeletionTimestamp == nil {
			return nil
		}
		waitsFor := cluster.Whole(t, node.Value.ObjectMeta)
		return []stuck.Finding{{
			Summary:   "waits for " + waitsFor.Ref(),
			Culprit:   waitsFor.As(),
			Certainty: stuck.Proven,
			Explains:  []string{finalizerKarpenter},
			WaitsFor:  []stuck.Object{waitsFor},
			IfForced:  keepsRunning(node.Value.Name),
		}}
	},
}

// keepsRunning is what it costs to forget a machine.
func keepsRunning(node string) stuck.Cost {
	return stuck.Cost{Leak: stuck.LeakExternal, What: "the machine of node " + node + " keeps running and keeps costing money"}
}

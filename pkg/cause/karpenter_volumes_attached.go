package cause

import (
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// KarpenterVolumesAttached holds a Node that is drained and whose volumes are
// not detached.
var KarpenterVolumesAttached = Cause{
	ID:    "karpenter-volumes-attached",
	Title: "Karpenter waits until the volumes of a drained node are detached",
	Doc: Doc{
		Shows: "A Node with `karpenter.sh/termination` is being deleted, its NodeClaim has the condition `VolumesDetached` with the reason `AwaitingVolumeDetachment`, and VolumeAttachments name the node.",
		Why:   "The pods are gone, and Karpenter ends the instance only when their volumes are free for other nodes, unless the NodeClaim has a `terminationGracePeriod` (awaitVolumeDetachment in kubernetes-sigs/karpenter pkg/controllers/node/termination/controller.go). The driver cannot detach one, or was drained from the node before it was done.",
		Fix:   "Look at the VolumeAttachments: what holds them holds the node.",
		Force: "The instance keeps running and keeps costing money, with the volumes attached to it.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is("", "Node") && o.Deleting() && o.HasFinalizer(finalizerKarpenter)
	},
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		t, served := see.Type(schema.GroupKind{Group: "karpenter.sh", Kind: "NodeClaim"})
		if !served || !slices.ContainsFunc(see.NodeClaims(t).Items, func(c cluster.NodeClaim) bool {
			return c.Status.NodeName == o.Name && slices.ContainsFunc(c.Status.Conditions, awaitsVolumes)
		}) {
			return nil
		}
		held := slices.DeleteFunc(slices.Clone(see.Attachments().Items), func(a storagev1.VolumeAttachment) bool {
			return a.Spec.NodeName != o.Name || a.Spec.Source.PersistentVolumeName == nil
		})
		if len(held) == 0 {
			return nil
		}
		slices.SortFunc(held, func(a, b storagev1.VolumeAttachment) int { return strings.Compare(a.Name, b.Name) })
		return []stuck.Finding{volumesAttached(o, held)}
	},
}

// awaitsVolumes is the condition of a NodeClaim by which Karpenter says so.
func awaitsVolumes(c cluster.Condition) bool {
	return c.Type == "VolumesDetached" && c.Status != "True" && c.Reason == "AwaitingVolumeDetachment"
}

func volumesAttached(o stuck.Object, held []storagev1.VolumeAttachment) stuck.Finding {
	var all []stuck.Object
	for _, a := range held {
		all = append(all, cluster.Attachment(a))
	}
	deleting, left := split(all)
	f := stuck.Finding{
		Summary:   fmt.Sprintf("its volumes are not detached yet: %s", tally(all)),
		Culprit:   culpritOf(all, o),
		Certainty: stuck.Likely,
		Explains:  []string{finalizerKarpenter},
		WaitsFor:  deleting,
		IfForced:  keepsRunning(o.Name),
	}
	if len(deleting) == 0 {
		f.Verdict = stuck.Blocked
		f.Evidence = still(left, "keeps a volume on this node")
		f.Fix = []stuck.Step{{
			What:    "stop what still uses the volumes there; Kubernetes then has them detached",
			Command: "kubectl get pods -A -o wide --field-selector=spec.nodeName=" + o.Name,
		}}
	}
	return f
}

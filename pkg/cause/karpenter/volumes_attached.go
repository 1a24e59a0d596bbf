package karpenter

import (
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// VolumesAttached holds a Node that is drained and whose volumes are
// not detached.
var VolumesAttached = kit.Cause{
	ID:    "karpenter-volumes-attached",
	Title: "Karpenter waits until the volumes of a drained node are detached",
	Doc: kit.Doc{
		Symptoms: "A Node with the finalizer `karpenter.sh/termination` is being deleted. The NodeClaim of the Node has the condition `VolumesDetached` with reason `AwaitingVolumeDetachment`, and VolumeAttachments name the Node.",
		Why:      "The pods are deleted. Karpenter terminates the instance only after the volumes of the pods are detached, unless the NodeClaim has a `terminationGracePeriod` (awaitVolumeDetachment in kubernetes-sigs/karpenter pkg/controllers/node/termination/controller.go). The driver cannot detach a volume, or was drained from the node before it detached all volumes.",
		Fix:      "Look at the VolumeAttachments: whatever blocks the VolumeAttachments also blocks the Node.",
		IfForced: "The instance is left behind with the volumes attached to it, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Is("", "Node") && o.Deleting() && o.HasFinalizer(kit.FinalizerKarpenter)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, served := view.TypeForKind(schema.GroupKind{Group: "karpenter.sh", Kind: "NodeClaim"})
		if !served || !slices.ContainsFunc(cluster.ReadList[NodeClaim](view, t, cluster.Selection{}).Items, func(c NodeClaim) bool {
			return c.Status.NodeName == o.Name && slices.ContainsFunc(c.Status.Conditions, isVolumesCondition)
		}) {
			return nil
		}
		attachments := slices.DeleteFunc(slices.Clone(view.VolumeAttachments().Items), func(a storagev1.VolumeAttachment) bool {
			return a.Spec.NodeName != o.Name || a.Spec.Source.PersistentVolumeName == nil
		})
		if len(attachments) == 0 {
			return nil
		}
		slices.SortFunc(attachments, func(a, b storagev1.VolumeAttachment) int { return strings.Compare(a.Name, b.Name) })
		return []stuck.Finding{volumesFinding(o, attachments)}
	},
}

// isVolumesCondition is the condition of a NodeClaim by which Karpenter says so.
func isVolumesCondition(c cluster.Condition) bool {
	return c.Type == "VolumesDetached" && c.Status != "True" && c.Reason == "AwaitingVolumeDetachment"
}

func volumesFinding(o stuck.Object, attachments []storagev1.VolumeAttachment) stuck.Finding {
	var all []stuck.Object
	for _, a := range attachments {
		all = append(all, stuck.ObjectOf(cluster.VolumeAttachmentType, a.ObjectMeta))
	}
	deleting, left := kit.SplitByDeleting(all)
	f := stuck.Finding{
		Message:   fmt.Sprintf("volumes of node/%s are not detached yet: %s", o.Name, kit.CountByType(all)),
		BlockedBy: kit.CulpritAmong(all, o),
		Certainty: stuck.Likely,
		Explains:  []string{kit.FinalizerKarpenter},
		WaitsFor:  deleting,
		OnForce:   kit.MachineCost(o.Name),
	}
	if len(deleting) == 0 {
		f.Verdict = stuck.Blocked
		f.Evidence = kit.NotDeletedLines(left, "attaches a volume to node/"+o.Name)
		f.Steps = []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "see which pods on the node still use the volumes",
			Command:     stuck.Shellf("kubectl get pods -A -o wide --field-selector=spec.nodeName=%s", o.Name),
		}}
	}
	return f
}

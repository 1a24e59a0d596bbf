package cause

import (
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// attacherPrefix begins the finalizer of each driver's external-attacher
// (kubernetes-csi/external-attacher/pkg/controller/util.go). The driver's name
// follows with its dots turned to dashes, so it cannot be read back.
const attacherPrefix = "external-attacher/"

// VolumeAttached blocks a PersistentVolume, or a VolumeAttachment, while the
// volume is attached to a node.
var VolumeAttached = kit.Cause{
	ID:    "volume-attached",
	Title: "The volume is attached to a node",
	Doc: kit.Doc{
		Symptoms: "A PersistentVolume or VolumeAttachment has a finalizer that begins with `external-attacher/`, and a VolumeAttachment names the volume. If the detach failed, `status.detachError` of the VolumeAttachment has the error.",
		Why:      "The external-attacher of the driver detaches the volume before it removes its finalizer. The detach fails because the storage rejects it, because the machine of the node does not exist, or because the driver was uninstalled.",
		Fix:      "Fix what the detach error reports. Stop the pod that uses the volume. If the driver was uninstalled, reinstall it until the volume is detached.",
		IfForced: "The volume remains attached in the storage system: either the volume cannot be attached to another node, or two nodes write to the volume.",
	},
	Applies: func(o stuck.Object) bool {
		isVolume := o.Is("", "PersistentVolume") || o.Is("storage.k8s.io", "VolumeAttachment")
		return isVolume && o.Deleting() && len(attacherFinalizers(o)) > 0
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, a := range view.VolumeAttachments().Items {
			volume := a.Spec.Source.PersistentVolumeName
			switch {
			case a.UID == o.UID:
				findings = append(findings, detachPendingFinding(view, o, a))
			case !o.Is("", "PersistentVolume") || volume == nil || *volume != o.Name:
			case a.DeletionTimestamp != nil:
				findings = append(findings, detachLinkFinding(o, a))
			default:
				findings = append(findings, attachedVolumeFinding(view, o, a))
			}
		}
		return findings
	},
}

// attacherFinalizers are the finalizers of the object that an external-attacher removes.
func attacherFinalizers(o stuck.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool { return !strings.HasPrefix(f, attacherPrefix) })
}

// detachLinkFinding is a volume whose VolumeAttachment is being deleted: a link.
func detachLinkFinding(o stuck.Object, a storagev1.VolumeAttachment) stuck.Finding {
	attachment := stuck.ObjectOf(cluster.VolumeAttachmentType, a.ObjectMeta)
	return stuck.Finding{
		Message:   fmt.Sprintf("%s attaches the volume to node/%s", attachment.Ref(), a.Spec.NodeName),
		BlockedBy: attachment.Culprit(),
		Certainty: stuck.Confirmed,
		Explains:  attacherFinalizers(o),
		WaitsFor:  []stuck.Object{attachment},
		OnForce:   attachedCost(a),
	}
}

// attachedVolumeFinding is a volume whose VolumeAttachment is not being deleted.
func attachedVolumeFinding(view *cluster.View, o stuck.Object, a storagev1.VolumeAttachment) stuck.Finding {
	attachment := stuck.ObjectOf(cluster.VolumeAttachmentType, a.ObjectMeta)
	f := stuck.Finding{
		Message:   fmt.Sprintf("the volume is attached to node/%s, and no detach was requested", a.Spec.NodeName),
		BlockedBy: attachment.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  attacherFinalizers(o),
		Evidence:  append(attachmentEvidence(view, a), "the VolumeAttachment is not being deleted"),
		Steps: []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: "find the pod on the node that uses the volume; the volume is detached when that pod is deleted",
			Command:     stuck.Shellf("kubectl get pods -A -o wide --field-selector=spec.nodeName=%s", a.Spec.NodeName),
		}},
		OnForce: attachedCost(a),
	}
	return f
}

// detachPendingFinding is a VolumeAttachment that is being deleted and whose volume is
// not detached. What else is known decides whether there is a reason to give.
func detachPendingFinding(view *cluster.View, o stuck.Object, a storagev1.VolumeAttachment) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("the volume is not detached from node/%s", a.Spec.NodeName),
		BlockedBy: stuck.Culprit{Kind: "CSIDriver", Name: a.Spec.Attacher},
		Certainty: stuck.Likely,
		Evidence:  attachmentEvidence(view, a),
		OnForce:   attachedCost(a),
	}
	gone := view.IsCSIDriverUninstalled(a.Spec.Attacher)
	if a.Status.DetachError == nil && !gone {
		// A detail: whether the attacher runs is for the causes of controllers.
		return f
	}
	f.Verdict, f.Explains = stuck.Blocked, attacherFinalizers(o)
	if a.Status.DetachError != nil {
		f.Message = fmt.Sprintf("driver %s fails to detach the volume from node/%s", a.Spec.Attacher, a.Spec.NodeName)
		f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionCheck, Description: "see the detach error, and fix what it reports: the driver then retries", Command: stuck.Shellf("kubectl describe volumeattachment %s", a.Name)})
	}
	if view.Node(a.Spec.NodeName).Absent() {
		f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("detach the volume in the storage system, if the machine of node/%s does not exist", a.Spec.NodeName)})
	}
	if gone {
		f.Message = fmt.Sprintf("driver %s of the attached volume is not installed (node/%s)", a.Spec.Attacher, a.Spec.NodeName)
		f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionChange, Description: fmt.Sprintf("reinstall driver %s, and let it detach the volume", a.Spec.Attacher)})
	}
	return f
}

func attachedCost(a storagev1.VolumeAttachment) stuck.Cost {
	return stuck.Cost{Leaves: stuck.LeakExternal, Description: "the volume remains attached to node/" + a.Spec.NodeName + " in the storage system"}
}

// attachmentEvidence is what is known of an attachment.
func attachmentEvidence(view *cluster.View, a storagev1.VolumeAttachment) []string {
	var out []string
	if e := a.Status.DetachError; e != nil {
		out = append(out, fmt.Sprintf("driver %s failed to detach the volume %s: %s", a.Spec.Attacher, kit.Ago(view, e.Time.Time), apitext.Shorten(e.Message)))
	}
	if view.Node(a.Spec.NodeName).Absent() {
		out = append(out, fmt.Sprintf("node/%s does not exist", a.Spec.NodeName))
	}
	if view.IsCSIDriverUninstalled(a.Spec.Attacher) {
		out = append(out, fmt.Sprintf("csidriver/%s does not exist, and no node has registered the driver", a.Spec.Attacher))
	}
	if a.Spec.Source.PersistentVolumeName != nil {
		out = append(out, fmt.Sprintf("volumeattachment/%s: persistentvolume/%s on node/%s (status.attached: %t)", a.Name, *a.Spec.Source.PersistentVolumeName, a.Spec.NodeName, a.Status.Attached))
	}
	return out
}

package snapshot

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What the snapshot controller and the driver's csi-snapshotter put on their
// objects (kubernetes-csi/external-snapshotter/pkg/utils/util.go).
const (
	snapshotGroup                     = "snapshot.storage.k8s.io"
	finalizerSnapshot                 = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection"
	finalizerContent                  = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"
	annotationBeingDeleted            = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted"
	annotationBeingCreated            = "snapshot.storage.kubernetes.io/volumesnapshot-being-created"
	annotationDeletionSecretName      = "snapshot.storage.kubernetes.io/deletion-secret-name"
	annotationDeletionSecretNamespace = "snapshot.storage.kubernetes.io/deletion-secret-namespace"
)

// ContentBound holds a VolumeSnapshot until its content is gone, and the
// content until the driver has deleted the snapshot in the storage.
var ContentBound = kit.Cause{
	ID:    "snapshot-bound",
	Title: "A snapshot waits for its content, or the content waits for its snapshot or the storage",
	Doc: kit.Doc{
		Symptoms: "A VolumeSnapshot or VolumeSnapshotContent has a finalizer that ends in `-bound-protection`. The VolumeSnapshotContent has Warning events `SnapshotDeleteError`.",
		Why:      "Deleting a VolumeSnapshot deletes its VolumeSnapshotContent, which deletes the snapshot in the storage. The csi-snapshotter of the driver cannot delete the snapshot without the driver, or without the Secret that the annotation of the VolumeSnapshotContent names. A VolumeSnapshotContent that was deleted without its VolumeSnapshot waits until the VolumeSnapshot is deleted too (shouldDelete in external-snapshotter/pkg/sidecar-controller/snapshot_controller.go).",
		Fix:      "Recreate the Secret, or reinstall the driver. If you want to delete the snapshot, delete the VolumeSnapshot too. To keep the snapshot in the storage, set `deletionPolicy` of the VolumeSnapshotContent to Retain.",
		IfForced: "The snapshot is left behind in the storage and billed, and nothing in the cluster refers to it.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.Group == snapshotGroup && (o.HasFinalizer(finalizerSnapshot) || o.HasFinalizer(finalizerContent))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if o.Is(snapshotGroup, "VolumeSnapshot") {
			return snapshotFinding(view, o)
		}
		content, ok := cluster.ReadObject[VolumeSnapshotContent](view, o)
		if !ok {
			return nil
		}
		return contentFinding(view, o, *content)
	},
}

// snapshotFinding is the link from a VolumeSnapshot to its content.
func snapshotFinding(view *cluster.View, o stuck.Object) []stuck.Finding {
	snapshot, ok := cluster.ReadObject[VolumeSnapshot](view, o)
	typ, served := view.TypeForKind(schema.GroupKind{Group: snapshotGroup, Kind: "VolumeSnapshotContent"})
	if !served || !ok || snapshot.Status.Content == "" {
		return nil
	}
	content := cluster.Read[VolumeSnapshotContent](view, typ, "", snapshot.Status.Content)
	if !content.Found() || content.Value.DeletionTimestamp == nil || content.Value.Spec.Snapshot.UID != string(o.UID) {
		return nil
	}
	bound := stuck.ObjectOf(typ, content.Value.ObjectMeta)
	return []stuck.Finding{{
		Message:   bound.Ref() + " is not deleted yet",
		BlockedBy: bound.Culprit(),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerSnapshot},
		WaitsFor:  []stuck.Object{bound},
		OnForce:   stuck.Cost{Leaves: stuck.LeakExternal, Description: bound.Ref() + " and the snapshot in the storage are left behind"},
	}}
}

// contentFinding is why the driver does not remove the finalizer of a content.
func contentFinding(view *cluster.View, o stuck.Object, content VolumeSnapshotContent) []stuck.Finding {
	f := stuck.Finding{
		BlockedBy: o.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked, Explains: []string{finalizerContent},
		OnForce: stuck.Cost{Leaves: stuck.LeakExternal, Description: "the snapshot is left behind in the storage of " + content.Spec.Driver},
	}
	if content.Status.Handle != "" {
		f.OnForce.Description += " as " + content.Status.Handle
	}
	_, deletionStarted := content.Annotations[annotationBeingDeleted]
	_, creating := content.Annotations[annotationBeingCreated]
	secret, namespace := content.Annotations[annotationDeletionSecretName], content.Annotations[annotationDeletionSecretNamespace]
	exists, known := true, true
	if deletionStarted && secret != "" && namespace != "" {
		exists, known = view.SecretExists(namespace, secret)
	}
	switch {
	case deletionStarted && view.IsCSIDriverUninstalled(content.Spec.Driver):
		f.Message = fmt.Sprintf("CSI driver %s, which deletes the snapshot in the storage, is not installed", content.Spec.Driver)
		f.BlockedBy = stuck.Culprit{Kind: "CSIDriver", Name: content.Spec.Driver}
		f.Evidence = []string{fmt.Sprintf("csidriver/%s does not exist, and no node has registered the driver", content.Spec.Driver)}
		f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("install CSI driver %s again: the driver then deletes the snapshot", content.Spec.Driver)}}
	case deletionStarted && known && !exists:
		f.Message = fmt.Sprintf("%s (credentials of the CSI driver) does not exist", stuck.RefInNamespace("secret", secret, namespace))
		f.BlockedBy = stuck.Culprit{Kind: "Secret", Namespace: namespace, Name: secret}
		f.Evidence = []string{"annotation " + annotationDeletionSecretName + " names that Secret; the driver needs it to delete the snapshot"}
		f.Steps = []stuck.Step{
			{Action: stuck.ActionChange, Description: fmt.Sprintf("recreate %s with the credentials for CSI driver %s, which then retries", stuck.RefInNamespace("secret", secret, namespace), content.Spec.Driver)},
			{Action: stuck.ActionCheck, Description: "see whether the driver still reports an error", Command: stuck.Shellf("kubectl describe volumesnapshotcontent %s", o.Name)},
		}
	case !deletionStarted && !creating:
		return boundContentFinding(view, f, content)
	default:
		return nil
	}
	if m := content.Status.Error.Message; m != "" {
		f.Evidence = append(f.Evidence, "status.error: "+apitext.Shorten(m))
	}
	f.Evidence = append(f.Evidence, kit.WarningEvents(view, o, o.DeletionTime, "SnapshotDeleteError")...)
	if content.Spec.Policy == "Delete" {
		f.Steps = append(f.Steps, keepSnapshotStep(o, f.BlockedBy))
	}
	return []stuck.Finding{f}
}

// keepSnapshotStep is how to keep the snapshot in the storage. The driver's csi-snapshotter removes the finalizer in any
// case (removeContentFinalizer in external-snapshotter/pkg/sidecar-controller), so a driver that is not
// installed has to be installed again for this too.
func keepSnapshotStep(o stuck.Object, culprit stuck.Culprit) stuck.Step {
	keep := stuck.Step{
		Action:      stuck.ActionChange,
		Description: "keep the snapshot in the storage and delete the content alone",
		Command:     stuck.Shellf(`kubectl patch volumesnapshotcontent %s --type=merge -p '{"spec":{"deletionPolicy":"Retain"}}'`, o.Name),
	}
	if culprit.Kind == "CSIDriver" {
		keep.Description = "keep the snapshot in the storage, before the driver is installed: the driver then deletes the content alone"
	}
	return keep
}

// boundContentFinding is a content that was deleted while its VolumeSnapshot is wanted.
func boundContentFinding(view *cluster.View, f stuck.Finding, content VolumeSnapshotContent) []stuck.Finding {
	ref := content.Spec.Snapshot
	typ, served := view.TypeForKind(schema.GroupKind{Group: snapshotGroup, Kind: "VolumeSnapshot"})
	if !served || ref.UID == "" {
		return nil
	}
	snapshot := cluster.Read[VolumeSnapshot](view, typ, ref.Namespace, ref.Name)
	if !snapshot.Found() || string(snapshot.Value.UID) != ref.UID || snapshot.Value.DeletionTimestamp != nil {
		return nil
	}
	f.Message = fmt.Sprintf("%s is bound to the content and is not being deleted", stuck.RefInNamespace("volumesnapshot", ref.Name, ref.Namespace))
	f.BlockedBy = stuck.Culprit{Kind: "VolumeSnapshot", Namespace: ref.Namespace, Name: ref.Name}
	f.Certainty = stuck.Confirmed
	f.Evidence = []string{
		fmt.Sprintf("deletionPolicy is %s: the content is deleted when the VolumeSnapshot is", content.Spec.Policy),
	}
	f.Steps = []stuck.Step{{Action: stuck.ActionDelete, Description: "delete the VolumeSnapshot, only if nobody needs the snapshot: this finishes the deletion of the content", Command: stuck.Kubectlf(ref.Namespace, "delete volumesnapshot %s", ref.Name)}}
	return []stuck.Finding{f}
}

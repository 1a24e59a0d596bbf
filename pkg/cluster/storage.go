package cluster

import (
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// VolumeAttachments reads the VolumeAttachments of the cluster.
func (v *View) VolumeAttachments() List[storagev1.VolumeAttachment] {
	return ReadList[storagev1.VolumeAttachment](v, VolumeAttachmentType, Selection{})
}

// IsCSIDriverUninstalled says that a CSI driver is not installed: it has no CSIDriver, which
// a driver need not have, and no node has registered it.
func (v *View) IsCSIDriverUninstalled(driver string) bool {
	if !v.Metadata(CSIDriverType, "", driver).Absent() {
		return false
	}
	nodes := ReadList[storagev1.CSINode](v, CSINodeType, Selection{})
	return nodes.Complete && !slices.ContainsFunc(nodes.Items, func(n storagev1.CSINode) bool {
		return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
	})
}

// VolumeSnapshot is what is read of a VolumeSnapshot (snapshot.storage.k8s.io/v1).
type VolumeSnapshot struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Content string `json:"boundVolumeSnapshotContentName"`
	} `json:"status"`
}

// VolumeSnapshotContent is what is read of a VolumeSnapshotContent
// (snapshot.storage.k8s.io/v1).
type VolumeSnapshotContent struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Policy   string `json:"deletionPolicy"`
		Driver   string `json:"driver"`
		Snapshot struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			UID       string `json:"uid"`
		} `json:"volumeSnapshotRef"`
	} `json:"spec"`
	Status struct {
		Handle string `json:"snapshotHandle"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"status"`
}

// VolumeSnapshot reads a VolumeSnapshot.
func (v *View) VolumeSnapshot(t stuck.Type, namespace, name string) Answer[VolumeSnapshot] {
	return Read[VolumeSnapshot](v, t, namespace, name)
}

// VolumeSnapshotContent reads a VolumeSnapshotContent.
func (v *View) VolumeSnapshotContent(t stuck.Type, name string) Answer[VolumeSnapshotContent] {
	return Read[VolumeSnapshotContent](v, t, "", name)
}

// SecretExists reports whether a Secret is there. Only its metadata is asked for.
func (v *View) SecretExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(SecretType, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

package cluster

import (
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	attachments = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments", Kind: "VolumeAttachment"}
	csiNodes    = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes", Kind: "CSINode"}
	csiDrivers  = stuck.Type{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers", Kind: "CSIDriver"}
)

// Attachments reads the VolumeAttachments of the cluster.
func (v *View) Attachments() Many[storagev1.VolumeAttachment] {
	return list[storagev1.VolumeAttachment](v, attachments, Selection{})
}

// Attachment is a VolumeAttachment that was read whole, as a scan would have
// kept it.
func Attachment(a storagev1.VolumeAttachment) stuck.Object { return whole(attachments, a.ObjectMeta) }

// DriverGone says that a CSI driver is not installed: it has no CSIDriver, which
// a driver need not have, and no node has registered it.
func (v *View) DriverGone(driver string) bool {
	if !v.Metadata(csiDrivers, "", driver).Absent() {
		return false
	}
	nodes := list[storagev1.CSINode](v, csiNodes, Selection{})
	return nodes.Complete && !slices.ContainsFunc(nodes.Items, func(n storagev1.CSINode) bool {
		return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
	})
}

// Snapshot is what is read of a VolumeSnapshot (snapshot.storage.k8s.io/v1).
type Snapshot struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Content string `json:"boundVolumeSnapshotContentName"`
	} `json:"status"`
}

// SnapshotContent is what is read of a VolumeSnapshotContent
// (snapshot.storage.k8s.io/v1).
type SnapshotContent struct {
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

// Snapshot reads a VolumeSnapshot.
func (v *View) Snapshot(t stuck.Type, namespace, name string) One[Snapshot] {
	return get[Snapshot](v, t, namespace, name)
}

// SnapshotContent reads a VolumeSnapshotContent.
func (v *View) SnapshotContent(t stuck.Type, name string) One[SnapshotContent] {
	return get[SnapshotContent](v, t, "", name)
}

// SnapshotObject is a VolumeSnapshot or its content, as a scan would have kept
// it.
func SnapshotObject(t stuck.Type, meta metav1.ObjectMeta) stuck.Object { return whole(t, meta) }

// SecretExists says whether a Secret is there. Only its metadata is asked for.
func (v *View) SecretExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(secrets, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

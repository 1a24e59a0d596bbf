package cluster

import (
	"slices"

	storagev1 "k8s.io/api/storage/v1"
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

// SecretExists reports whether a Secret is there. Only its metadata is asked for.
func (v *View) SecretExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(SecretType, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}

package kit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// CSIVolume is a volume of a Pod that a CSI driver mounted.
type CSIVolume struct {
	Name   string
	Driver string
}

// VolumesWithoutDriver are the volumes of a Pod whose CSI driver is not registered on the
// node of the Pod, complete if all volumes and the node's drivers could be read. The
// kubelet takes a driver out of the CSINode when its socket is gone, and cannot unmount
// without it (kubernetes/pkg/volume/csi/csi_plugin.go, csi_client.go).
func VolumesWithoutDriver(view *cluster.View, pod corev1.Pod) cluster.List[CSIVolume] {
	out := csiVolumes(view, pod)
	if len(out.Items) == 0 {
		return out
	}
	node := cluster.Read[storagev1.CSINode](view, cluster.CSINodeType, "", pod.Spec.NodeName)
	if !node.Found() {
		return cluster.List[CSIVolume]{Complete: node.Absent() && out.Complete}
	}
	out.Items = slices.DeleteFunc(out.Items, func(v CSIVolume) bool {
		return slices.ContainsFunc(node.Value.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == v.Driver })
	})
	return out
}

// csiVolumes are the volumes of a Pod that a CSI driver mounts.
func csiVolumes(view *cluster.View, pod corev1.Pod) cluster.List[CSIVolume] {
	out := cluster.List[CSIVolume]{Complete: true}
	for _, v := range pod.Spec.Volumes {
		claim := ""
		switch {
		case v.CSI != nil:
			out.Items = append(out.Items, CSIVolume{v.Name, v.CSI.Driver})
		case v.PersistentVolumeClaim != nil:
			claim = v.PersistentVolumeClaim.ClaimName
		case v.Ephemeral != nil:
			claim = pod.Name + "-" + v.Name
		}
		if claim == "" {
			continue
		}
		bound := view.PersistentVolumeClaim(pod.Namespace, claim)
		if !bound.Found() || bound.Value.Spec.VolumeName == "" {
			out.Complete = out.Complete && (bound.Found() || bound.Absent())
			continue
		}
		volume := cluster.Read[corev1.PersistentVolume](view, cluster.PersistentVolumeType, "", bound.Value.Spec.VolumeName)
		out.Complete = out.Complete && (volume.Found() || volume.Absent())
		if volume.Found() && volume.Value.Spec.CSI != nil {
			out.Items = append(out.Items, CSIVolume{v.Name, volume.Value.Spec.CSI.Driver})
		}
	}
	return out
}

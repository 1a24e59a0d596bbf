package snapshot

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
func ReadVolumeSnapshot(v *cluster.View, t stuck.Type, namespace, name string) cluster.Answer[VolumeSnapshot] {
	return cluster.Read[VolumeSnapshot](v, t, namespace, name)
}

// VolumeSnapshotContent reads a VolumeSnapshotContent.
func ReadVolumeSnapshotContent(v *cluster.View, t stuck.Type, name string) cluster.Answer[VolumeSnapshotContent] {
	return cluster.Read[VolumeSnapshotContent](v, t, "", name)
}

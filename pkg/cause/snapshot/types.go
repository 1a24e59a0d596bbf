package snapshot

import (
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

package rook

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CephCluster is what is read of one of Rook's
// (rook/rook pkg/apis/ceph.rook.io/v1/types.go).
type CephCluster struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		CleanupPolicy struct {
			AllowUninstallWithVolumes bool `json:"allowUninstallWithVolumes"`
		} `json:"cleanupPolicy"`
	} `json:"spec"`
}

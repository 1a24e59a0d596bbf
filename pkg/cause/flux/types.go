package flux

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kustomization is what is read of one of Flux's
// (fluxcd/kustomize-controller api/v1/kustomization_types.go).
type Kustomization struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Prune              bool             `json:"prune"`
		Suspend            bool             `json:"suspend"`
		Interval           metav1.Duration  `json:"interval"`
		Timeout            *metav1.Duration `json:"timeout"`
		DeletionPolicy     string           `json:"deletionPolicy"`
		ServiceAccountName string           `json:"serviceAccountName"`
		KubeConfig         *struct {
			SecretRef *corev1.LocalObjectReference `json:"secretRef"`
		} `json:"kubeConfig"`
	} `json:"spec"`
	Status struct {
		Inventory struct {
			Entries []struct {
				ID string `json:"id"`
			} `json:"entries"`
		} `json:"inventory"`
	} `json:"status"`
}

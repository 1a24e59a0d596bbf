package crossplane

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// ManagedResource is what is read of a managed resource of Crossplane's
// (crossplane/crossplane-runtime apis/common/v1 and v2, ResourceSpec).
type ManagedResource struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ProviderConfigRef struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"providerConfigRef"`
		DeletionPolicy     string   `json:"deletionPolicy"`
		ManagementPolicies []string `json:"managementPolicies"`
	} `json:"spec"`
	Status struct {
		Conditions []cluster.Condition `json:"conditions"`
	} `json:"status"`
}

// ProviderConfig is what is read of one of Crossplane's. Its providers share
// these fields (crossplane/crossplane-runtime apis/common/v1, CredentialSelectors
// and ProviderConfigStatus).
type ProviderConfig struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Credentials struct {
			Source    string                  `json:"source"`
			SecretRef *corev1.SecretReference `json:"secretRef"`
		} `json:"credentials"`
	} `json:"spec"`
}

// ProviderConfigUsage says that a managed resource uses a ProviderConfig.
type ProviderConfigUsage struct {
	metav1.ObjectMeta `json:"metadata"`
	ProviderConfigRef struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"providerConfigRef"`
	ResourceRef struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Name       string `json:"name"`
	} `json:"resourceRef"`
}

// isGroupOrSubgroup reports whether an API group is another, or a part of it:
// "s3.aws.upbound.io" is a part of "aws.upbound.io".
func isGroupOrSubgroup(group, parent string) bool {
	return group == parent || strings.HasSuffix(group, "."+parent)
}

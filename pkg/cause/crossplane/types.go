package crossplane

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"strings"
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

// ManagedResource reads a managed resource.
func ReadManagedResource(v *cluster.View, o stuck.Object) cluster.Answer[ManagedResource] {
	return cluster.ReadSimilar[ManagedResource](v, o.Type, o.Namespace, o.Name)
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

// ProviderConfig reads one.
func ReadProviderConfig(v *cluster.View, t stuck.Type, namespace, name string) cluster.Answer[ProviderConfig] {
	return cluster.Read[ProviderConfig](v, t, namespace, name)
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

// ProviderConfigUsages reads those of a namespace, all where it is empty.
func ReadProviderConfigUsages(v *cluster.View, t stuck.Type, namespace string) cluster.List[ProviderConfigUsage] {
	return cluster.ReadList[ProviderConfigUsage](v, t, cluster.Selection{Namespace: namespace})
}

// IsGroupOrSubgroup reports whether an API group is another, or a part of it:
// "s3.aws.upbound.io" is a part of "aws.upbound.io".
func IsGroupOrSubgroup(group, parent string) bool {
	return group == parent || strings.HasSuffix(group, "."+parent)
}

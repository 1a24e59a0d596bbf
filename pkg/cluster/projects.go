package cluster

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The objects of platforms, each in the fields that a cause needs. Their types
// are those that the server serves, in the version that it prefers.

// Application is what is read of one of Argo CD's
// (argoproj/argo-cd pkg/apis/application/v1alpha1/types.go).
type Application struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Project     string `json:"project"`
		Destination struct {
			Server    string `json:"server"`
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"destination"`
	} `json:"spec"`
	Status struct {
		ControllerNamespace string      `json:"controllerNamespace"`
		Conditions          []Condition `json:"conditions"`
	} `json:"status"`
}

// Project is the AppProject that the Application belongs to.
func (a Application) Project() string { return cmp.Or(a.Spec.Project, "default") }

// Destination is the cluster that the Application deploys to.
func (a Application) Destination() string {
	return cmp.Or(a.Spec.Destination.Name, a.Spec.Destination.Server)
}

// Application reads one of Argo CD's.
func (v *View) Application(o stuck.Object) Answer[Application] {
	return ReadSimilar[Application](v, o.Type, o.Namespace, o.Name)
}

// Applications reads those of a namespace.
func (v *View) Applications(t stuck.Type, namespace string) List[Application] {
	return ReadList[Application](v, t, Selection{Namespace: namespace})
}

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
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// ManagedResource reads a managed resource.
func (v *View) ManagedResource(o stuck.Object) Answer[ManagedResource] {
	return ReadSimilar[ManagedResource](v, o.Type, o.Namespace, o.Name)
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
func (v *View) ProviderConfig(t stuck.Type, namespace, name string) Answer[ProviderConfig] {
	return Read[ProviderConfig](v, t, namespace, name)
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
func (v *View) ProviderConfigUsages(t stuck.Type, namespace string) List[ProviderConfigUsage] {
	return ReadList[ProviderConfigUsage](v, t, Selection{Namespace: namespace})
}

// Kustomization is what is read of one of Flux's
// (fluxcd/kustomize-controller api/v1/kustomization_types.go).
type Kustomization struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Prune              bool   `json:"prune"`
		Suspend            bool   `json:"suspend"`
		DeletionPolicy     string `json:"deletionPolicy"`
		ServiceAccountName string `json:"serviceAccountName"`
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

// Kustomization reads one of Flux's.
func (v *View) Kustomization(o stuck.Object) Answer[Kustomization] {
	return ReadSimilar[Kustomization](v, o.Type, o.Namespace, o.Name)
}

// NodeClaim is what is read of one of Karpenter's
// (kubernetes-sigs/karpenter pkg/apis/v1/nodeclaim.go).
type NodeClaim struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeClassRef struct {
			Group string `json:"group"`
			Kind  string `json:"kind"`
			Name  string `json:"name"`
		} `json:"nodeClassRef"`
	} `json:"spec"`
	Status struct {
		NodeName   string      `json:"nodeName"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// NodeClaims reads all of Karpenter's.
func (v *View) NodeClaims(t stuck.Type) List[NodeClaim] {
	return ReadList[NodeClaim](v, t, Selection{})
}

// IsGroupOrSubgroup reports whether an API group is another, or a part of it:
// "s3.aws.upbound.io" is a part of "aws.upbound.io".
func IsGroupOrSubgroup(group, parent string) bool {
	return group == parent || strings.HasSuffix(group, "."+parent)
}

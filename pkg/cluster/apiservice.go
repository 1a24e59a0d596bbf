package cluster

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIService is what is read of an APIService (apiregistration.k8s.io/v1).
type APIService struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group   string            `json:"group"`
		Version string            `json:"version"`
		Service *ServiceReference `json:"service"`
		// CABundle is what the certificate of its server has to be signed by, in PEM, unless
		// InsecureSkipTLSVerify.
		CABundle              []byte `json:"caBundle"`
		InsecureSkipTLSVerify bool   `json:"insecureSkipTLSVerify"`
	} `json:"spec"`
	Status struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// InjectCAAnnotation names the Certificate whose CA cert-manager copies to the caBundle of an
// object (WantInjectAnnotation in cert-manager/pkg/apis/certmanager/v1/types.go).
const InjectCAAnnotation = "cert-manager.io/inject-ca-from"

// ServiceReference is how an APIService or a webhook names the Service behind
// it.
type ServiceReference struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Condition is a status condition, in the part that all kinds share.
type Condition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	Reason             string      `json:"reason"`
	Message            string      `json:"message"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
}

// AvailableCondition is the condition that says whether the API can be reached.
func (a APIService) AvailableCondition() (Condition, bool) {
	i := slices.IndexFunc(a.Status.Conditions, func(c Condition) bool { return c.Type == "Available" })
	if i < 0 {
		return Condition{}, false
	}
	return a.Status.Conditions[i], true
}

// APIService reads the APIService of a group version.
func (v *View) APIService(group, version string) Answer[APIService] {
	return Read[APIService](v, APIServiceType, "", version+"."+group)
}

// ServedByExtension reports whether a type is known to be served, and its objects kept,
// by another server than the API server itself.
func (v *View) ServedByExtension(t stuck.Type) bool {
	if stuck.IsBuiltInGroup(t.Group) {
		return false
	}
	api := v.APIService(t.Group, t.Version)
	return api.Found() && api.Value.Spec.Service != nil
}

// APIServices reads all APIServices.
func (v *View) APIServices() List[APIService] {
	return ReadList[APIService](v, APIServiceType, Selection{})
}

// CRD is what is read of a CustomResourceDefinition (apiextensions.k8s.io/v1).
type CRD struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group string `json:"group"`
		Names struct {
			Plural string `json:"plural"`
			Kind   string `json:"kind"`
		} `json:"names"`
		Scope      string `json:"scope"`
		Conversion struct {
			Strategy string `json:"strategy"`
			Webhook  struct {
				ClientConfig struct {
					URL     string            `json:"url"`
					Service *ServiceReference `json:"service"`
					// CABundle is what its certificate has to be signed by, in PEM.
					CABundle []byte `json:"caBundle"`
				} `json:"clientConfig"`
			} `json:"webhook"`
		} `json:"conversion"`
		Versions []CRDVersion `json:"versions"`
	} `json:"spec"`
	Status struct {
		Conditions     []Condition `json:"conditions"`
		StoredVersions []string    `json:"storedVersions"`
	} `json:"status"`
}

// CRDVersion is a version of a CustomResourceDefinition.
type CRDVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
}

// CRD reads a CustomResourceDefinition by its name, "widgets.example.com".
func (v *View) CRD(name string) Answer[CRD] {
	return Read[CRD](v, CustomResourceDefinitionType, "", name)
}

// GroupVersion names one version of an API group.
type GroupVersion struct{ Group, Version string }

func (g GroupVersion) String() string { return g.Group + "/" + g.Version }

// UndiscoveredGroupVersions are the group versions that discovery could not read.
func (v *View) UndiscoveredGroupVersions() []GroupVersion {
	var out []GroupVersion
	for _, gap := range v.shared.discoveryGaps {
		if gv := gap.GroupVersion; gv.Group != "" {
			out = append(out, GroupVersion{gv.Group, gv.Version})
		}
	}
	return out
}

// CRDMetadata reads the labels and annotations of the definition of a type.
// The definition itself, with its schema, can run to a megabyte.
func (v *View) CRDMetadata(t stuck.Type) Answer[metav1.PartialObjectMetadata] {
	return v.MetadataOf(stuck.Object{Type: CustomResourceDefinitionType, Name: t.String()})
}

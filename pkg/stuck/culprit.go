package stuck

import "strings"

// Culprit is the thing at fault.
type Culprit struct {
	// APIVersion is empty where it is not known.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// String is the culprit as a user names it: deployment/web -n shop.
func (c Culprit) String() string {
	return strings.ToLower(c.Kind) + "/" + c.Name + InNamespace(c.Namespace)
}

// Names reports whether the culprit is the object, as far as its APIVersion is known.
func (c Culprit) Names(o Object) bool {
	of := o.Culprit()
	if c.APIVersion == "" {
		of.APIVersion = ""
	}
	return c == of
}

// WithAPIVersion is the culprit with the APIVersion of its kind, where that is one of
// Kubernetes' own that no other API has.
func (c Culprit) WithAPIVersion() Culprit {
	if c.APIVersion == "" {
		c.APIVersion = builtInAPIVersions[c.Kind]
	}
	return c
}

// WithoutAPIVersion is the culprit by its kind alone, to compare it with one whose APIVersion is
// not known.
func (c Culprit) WithoutAPIVersion() Culprit {
	c.APIVersion = ""
	return c
}

// builtInAPIVersions are those of the kinds that causes name without one. Kinds that
// other projects have too, such as Job, are not among them.
var builtInAPIVersions = map[string]string{
	"ConfigMap": "v1", "Namespace": "v1", "Node": "v1", "PersistentVolume": "v1", "PersistentVolumeClaim": "v1", "Pod": "v1", "Secret": "v1",
	"DaemonSet": "apps/v1", "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1",
	"MutatingWebhookConfiguration":     "admissionregistration.k8s.io/v1",
	"ValidatingAdmissionPolicy":        "admissionregistration.k8s.io/v1",
	"ValidatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1",
	"ValidatingWebhookConfiguration":   "admissionregistration.k8s.io/v1",
	"APIService":                       "apiregistration.k8s.io/v1",
	"CSIDriver":                        "storage.k8s.io/v1",
	"CustomResourceDefinition":         "apiextensions.k8s.io/v1",
	"Lease":                            "coordination.k8s.io/v1",
	"PodDisruptionBudget":              "policy/v1",
	"VolumeAttachment":                 "storage.k8s.io/v1",
}

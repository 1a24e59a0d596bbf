package stuck

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Type is one resource type that the API server serves, as discovery names it.
type Type struct {
	Group        string   `json:"group,omitempty"`
	Version      string   `json:"version"`
	Resource     string   `json:"resource"` // plural, as in the URL
	Kind         string   `json:"kind"`
	SingularName string   `json:"singular,omitempty"`
	ShortNames   []string `json:"shortNames,omitempty"`
	Categories   []string `json:"categories,omitempty"`
	Namespaced   bool     `json:"namespaced,omitempty"`
	// Listable means that the type has the list verb; types without it have no
	// objects that could be stuck.
	Listable bool `json:"listable,omitempty"`
	// Watchable means that the type has the watch verb, without which no informer
	// can follow it.
	Watchable bool `json:"watchable,omitempty"`
	// Undeletable means that the type is namespaced and can be listed, but has no
	// delete verb: the namespace controller leaves its objects alone.
	Undeletable bool `json:"undeletable,omitempty"`
	// Stale means that the server of this type did not respond when the API
	// server last asked it for its types. Listing it may still work.
	Stale bool `json:"stale,omitempty"`
}

// GVR is the type as clients address it.
func (t Type) GVR() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: t.Group, Version: t.Version, Resource: t.Resource}
}

// GVK is the type as objects name it.
func (t Type) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind}
}

// GroupKind is the type regardless of its version.
func (t Type) GroupKind() schema.GroupKind { return schema.GroupKind{Group: t.Group, Kind: t.Kind} }

// IsSecret reports whether the type is that of Secrets, whose contents are never
// read.
func (t Type) IsSecret() bool { return t.Group == "" && t.Resource == "secrets" }

// IsEvent reports whether the type is that of Events, of which there are many, and which
// expire by themselves.
func (t Type) IsEvent() bool {
	return t.Resource == "events" && (t.Group == "" || t.Group == "events.k8s.io")
}

// String is the type in the plural, as kubectl api-resources prints it:
// "pods", "widgets.example.com".
func (t Type) String() string { return withGroup(t.Resource, t.Group) }

// Singular is the type in the singular, as it stands before a name: "pod",
// "statefulset", "widget.example.com". Types of Kubernetes itself go without
// their group, as everybody calls them.
func (t Type) Singular() string {
	if IsBuiltInGroup(t.Group) {
		return strings.ToLower(t.Kind)
	}
	return withGroup(strings.ToLower(t.Kind), t.Group)
}

// Ref is an object of the type as kubectl names it: "pod/web-0",
// "widget.example.com/w1".
func (t Type) Ref(name string) string { return t.Singular() + "/" + name }

// Path is a REST path of the type: that of the collection, in a namespace unless
// that is empty; with a name, that of the object; with a second, that of one of
// its subresources.
func (t Type) Path(namespace string, names ...string) string {
	path := "/apis/" + t.Group + "/" + t.Version
	if t.Group == "" {
		path = "/api/" + t.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	return strings.Join(append([]string{path, t.Resource}, names...), "/")
}

// IsBuiltInGroup reports whether an API group is one that Kubernetes itself serves
// (k8s.io/api, kube-aggregator and apiextensions-apiserver).
func IsBuiltInGroup(group string) bool {
	switch strings.TrimSuffix(group, ".k8s.io") {
	case "", "apps", "autoscaling", "batch", "policy",
		"admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization",
		"certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver",
		"networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration":
		return true
	}
	return false
}

func withGroup(name, group string) string {
	if group == "" {
		return name
	}
	return name + "." + group
}

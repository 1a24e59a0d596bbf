package stuck

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Object is what a scan keeps of one object: who it is and how far its
// deletion has come.
type Object struct {
	Type      Type
	Namespace string
	Name      string
	UID       types.UID
	// ResourceVersion is the state of the object that was seen.
	ResourceVersion string

	// CreationTime is the creationTimestamp.
	CreationTime time.Time
	// DeletionTime is the deletionTimestamp, zero while nobody has deleted it. For a
	// Pod the API server adds the grace period to it, so that it is the moment
	// at which the Pod should be gone.
	DeletionTime time.Time
	// DeletionGracePeriodSeconds is the grace period of the deletion, nil where none was
	// noted.
	DeletionGracePeriodSeconds *int64
	// Finalizers is metadata.finalizers.
	Finalizers []string
	// SpecFinalizers is spec.finalizers, which only Namespaces have. A scan
	// does not see it; it is filled in when the Namespace itself is read.
	SpecFinalizers []string
	Owners         []OwnerReference
	// NamespaceMissing says that the object's namespace no longer exists.
	NamespaceMissing bool
}

// OwnerReference is one ownerReference of an object.
type OwnerReference struct {
	Kind string
	Name string
	UID  types.UID
	// Controller marks the owner that manages the object.
	Controller bool
	// BlockOwnerDeletion is blockOwnerDeletion: a foreground deletion of the owner waits
	// for this object.
	BlockOwnerDeletion bool
}

// ObjectOf is what is kept of an object's metadata.
func ObjectOf(t Type, m metav1.ObjectMeta) Object {
	o := Object{
		Type: t, Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion,
		CreationTime: m.CreationTimestamp.Time, DeletionGracePeriodSeconds: m.DeletionGracePeriodSeconds, Finalizers: slices.Clone(m.Finalizers),
	}
	if m.DeletionTimestamp != nil {
		o.DeletionTime = m.DeletionTimestamp.Time
	}
	for _, ref := range m.OwnerReferences {
		o.Owners = append(o.Owners, OwnerReference{
			Kind: ref.Kind, Name: ref.Name, UID: ref.UID,
			Controller:         ref.Controller != nil && *ref.Controller,
			BlockOwnerDeletion: ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion,
		})
	}
	return o
}

// Deleting reports whether the object has a deletionTimestamp.
func (o Object) Deleting() bool { return !o.DeletionTime.IsZero() }

// NeedsVerdict reports whether there is anything to judge: an object that nobody has
// deleted is not on its way, unless its namespace is gone.
func (o Object) NeedsVerdict() bool { return o.Deleting() || o.NamespaceMissing }

// IsOutOfScope reports whether a custom resource was stored when its CustomResourceDefinition had
// another scope than now: it has a namespace, and its type has none, or the other way round.
// Lists show it, and no other request reaches it
// (apiextensions-apiserver/pkg/apiserver/customresource_handler.go, ServeHTTP).
func (o Object) IsOutOfScope() bool {
	return !IsBuiltInGroup(o.Type.Group) && o.Type.Namespaced != (o.Namespace != "")
}

// IsStuck reports whether the object is still there past its grace period.
func (o Object) IsStuck(now time.Time) bool { return o.Deleting() && !now.Before(o.DeletionTime) }

// StuckDuration is how long the object has been past its deletion, zero within its grace
// period.
func (o Object) StuckDuration(now time.Time) time.Duration {
	if !o.IsStuck(now) {
		return 0
	}
	return now.Sub(o.DeletionTime)
}

// Ref is the object as kubectl names it: "pod/web-0", "widget.example.com/w1".
func (o Object) Ref() string { return o.Type.Ref(o.Name) }

// RefInNamespace is the object with its namespace: "pod/web-0 -n shop".
func (o Object) RefInNamespace() string { return o.Ref() + InNamespace(o.Namespace) }

// TypeInNamespace is the type of the object, in the plural, with its namespace:
// "pods -n shop".
func (o Object) TypeInNamespace() string { return o.Type.String() + InNamespace(o.Namespace) }

// InNamespace is what stands behind the name of something to say where it is:
// " -n shop", and nothing for what has no namespace.
func InNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " -n " + namespace
}

// RefInNamespace is the object of a type with its namespace: "service/web -n shop".
func RefInNamespace(typeName, name, namespace string) string {
	return typeName + "/" + name + InNamespace(namespace)
}

// Args are the arguments that name the object to a command: TYPE/NAME, and
// -n NAMESPACE behind it.
func (o Object) Args() []string {
	if o.Namespace == "" {
		return []string{o.Ref()}
	}
	return []string{o.Ref(), "-n", o.Namespace}
}

// Command is a kubectl command on the object: "kubectl delete pod/web-0 -n shop".
// The namespace comes last, as a plugin wants it.
func (o Object) Command(verb ...string) string {
	return Command("", slices.Concat(verb, o.Args())...)
}

// Path is the REST path of the object.
func (o Object) Path() string { return o.Type.Path(o.Namespace, o.Name) }

// HasFinalizer reports whether metadata.finalizers holds the name.
func (o Object) HasFinalizer(name string) bool { return slices.Contains(o.Finalizers, name) }

// SpecFinalizerPrefix stands before a finalizer of spec.finalizers where it is named
// beside those of metadata.finalizers, in a table and in an argument.
const SpecFinalizerPrefix = "spec:"

// AllFinalizers are spec.finalizers and metadata.finalizers.
func (o Object) AllFinalizers() []string { return slices.Concat(o.SpecFinalizers, o.Finalizers) }

// IsNamespace reports whether the object is a Namespace.
func (o Object) IsNamespace() bool { return o.Is("", "Namespace") }

// Is reports whether the object is of the kind, in any version.
func (o Object) Is(group, kind string) bool { return o.Type.Group == group && o.Type.Kind == kind }

// Culprit is the object as the culprit of a finding.
func (o Object) Culprit() Culprit {
	return Culprit{APIVersion: o.Type.GVK().GroupVersion().String(), Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name}
}

// ControllerReference is the owner that manages the object, if it has one.
func (o Object) ControllerReference() (OwnerReference, bool) {
	i := slices.IndexFunc(o.Owners, func(w OwnerReference) bool { return w.Controller })
	if i < 0 {
		return OwnerReference{}, false
	}
	return o.Owners[i], true
}

// Compare orders objects by namespace, type and name, the order of every list
// that is printed.
func Compare(a, b Object) int {
	for _, pair := range [][2]string{
		{a.Namespace, b.Namespace}, {a.Type.Group, b.Type.Group}, {a.Type.Resource, b.Type.Resource}, {a.Name, b.Name},
	} {
		if pair[0] < pair[1] {
			return -1
		}
		if pair[0] > pair[1] {
			return 1
		}
	}
	return 0
}

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

	// Created is the creationTimestamp.
	Created time.Time
	// Deleted is the deletionTimestamp, zero while nobody has deleted it. For a
	// Pod the API server adds the grace period to it, so that it is the moment
	// at which the Pod should be gone.
	Deleted time.Time
	// Finalizers is metadata.finalizers.
	Finalizers []string
	// SpecFinalizers is spec.finalizers, which only Namespaces have. A scan
	// does not see it; it is filled in when the Namespace itself is read.
	SpecFinalizers []string
	Owners         []Reference
	// Ghost says that the object's namespace no longer exists.
	Ghost bool
}

// Reference is one ownerReference of an object.
type Reference struct {
	Kind string
	Name string
	UID  types.UID
	// Controller marks the owner that manages the object.
	Controller bool
	// Blocks is blockOwnerDeletion: a foreground deletion of the owner waits
	// for this object.
	Blocks bool
}

// ObjectOf is what is kept of an object's metadata.
func ObjectOf(t Type, m metav1.ObjectMeta) Object {
	o := Object{
		Type: t, Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion,
		Created: m.CreationTimestamp.Time, Finalizers: slices.Clone(m.Finalizers),
	}
	if m.DeletionTimestamp != nil {
		o.Deleted = m.DeletionTimestamp.Time
	}
	for _, ref := range m.OwnerReferences {
		o.Owners = append(o.Owners, Reference{
			Kind: ref.Kind, Name: ref.Name, UID: ref.UID,
			Controller: ref.Controller != nil && *ref.Controller,
			Blocks:     ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion,
		})
	}
	return o
}

// Deleting says whether the object has a deletionTimestamp.
func (o Object) Deleting() bool { return !o.Deleted.IsZero() }

// Stuck says whether the object is still there past its grace period.
func (o Object) Stuck(now time.Time) bool { return o.Deleting() && !now.Before(o.Deleted) }

// Age is how long the object has been past its deletion, zero within its grace
// period.
func (o Object) Age(now time.Time) time.Duration {
	if !o.Stuck(now) {
		return 0
	}
	return now.Sub(o.Deleted)
}

// Ref is the object as kubectl names it: "pod/web-0", "widget.example.com/w1".
func (o Object) Ref() string { return o.Type.One() + "/" + o.Name }

// HasFinalizer says whether metadata.finalizers holds the name.
func (o Object) HasFinalizer(name string) bool { return slices.Contains(o.Finalizers, name) }

// IsNamespace says whether the object is a Namespace.
func (o Object) IsNamespace() bool { return o.Is("", "Namespace") }

// Is says whether the object is of the kind, in any version.
func (o Object) Is(group, kind string) bool { return o.Type.Group == group && o.Type.Kind == kind }

// As is the object as the culprit of a finding.
func (o Object) As() Culprit {
	return Culprit{Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name}
}

// Controller is the owner that manages the object, if it has one.
func (o Object) Controller() (Reference, bool) {
	i := slices.IndexFunc(o.Owners, func(w Reference) bool { return w.Controller })
	if i < 0 {
		return Reference{}, false
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

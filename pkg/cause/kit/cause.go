// Package kit is what causes are made of: the type of a cause, and the evidence,
// steps and costs that several causes share. It knows no cause itself.
package kit

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Cause is one reason for which objects stay in Terminating.
type Cause struct {
	// ID names the cause on screens, in documents and in docs/causes.md. It never
	// changes.
	ID string
	// Title is the cause in one line.
	Title string
	// Doc is its chapter in docs/causes.md.
	Doc Doc
	// Applies says, from what the scan already knows, whether the cause is
	// worth looking for.
	Applies func(stuck.Object) bool
	// Find returns what holds of the cause for the object. It gives each
	// finding everything but the cause's name.
	Find func(*cluster.View, stuck.Object) []stuck.Finding
	// ByController is Find for a cause that lies with the controller of a finalizer
	// which no other cause explains.
	ByController func(*cluster.View, controller.Controller) []stuck.Finding
	// OfOneObject says that what ByController finds depends on the object itself, and does not
	// hold for similar objects whose finalizers have the same controller.
	OfOneObject bool
	// ControllerNext says that the controller of the finalizer still has to remove it when what the cause says is mended:
	// whether one is left is looked for too.
	ControllerNext bool
	// RejectsUpdates says that it rejects every update of the object: whether a controller is left that would remove the
	// finalizers is looked for too.
	RejectsUpdates bool
	// ControllerAbsent says that no controller is left to remove the finalizer, also when updates are accepted again.
	ControllerAbsent bool
	// AfterDeletion says that it is not looked for before a deletion is requested: it rests on what happened since
	// then or how long ago that was, or is about the user.
	AfterDeletion bool
	// ByEntry is Find for a cause that the catalog's data describes: what it says of one
	// finalizer of the object. A cause has one of the three, or, where clues are to be looked
	// at if the catalog says nothing, ByEntry and ByController.
	ByEntry func(*cluster.View, KnownFinalizer) []stuck.Finding
}

// KnownFinalizer is a finalizer of an object, and the catalog's entry for it, with the
// placeholders of its commands filled in.
type KnownFinalizer struct {
	Object    stuck.Object
	Finalizer string
	Entry     catalog.Entry
}

// Doc explains a cause to somebody who meets it for the first time.
type Doc struct {
	Symptoms string // how it shows
	Why      string // why it happens
	Fix      string // what to do
	IfForced string // what a forced removal costs
}

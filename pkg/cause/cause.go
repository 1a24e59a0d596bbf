// Package cause says why an object is stuck: one file per root cause. Listing
// this folder is listing what the product understands.
//
// Its law: a cause is a function of what the view shows. It fetches nothing
// itself, prints nothing, and draws no conclusion from what could not be read.
package cause

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Cause is one reason for which objects stay in Terminating.
type Cause struct {
	// ID is the name of the cause, that of its file with dashes.
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
	// ByController is Look for a cause that lies with the controller of a finalizer
	// which no other cause explains. A cause has either.
	ByController func(*cluster.View, controller.Controller) []stuck.Finding
}

// Doc explains a cause to somebody who meets it for the first time.
type Doc struct {
	Symptoms string // how it shows
	Why      string // why it happens
	Fix      string // what to do
	IfForced string // what a forced removal costs
}

// Finalizers of Kubernetes itself.
const (
	// finalizerKubernetes is the namespace controller's own, in spec.finalizers
	// (k8s.io/api/core/v1 FinalizerKubernetes).
	finalizerKubernetes = "kubernetes"
	// finalizerCRD belongs to the API server (apiextensions/v1
	// CustomResourceCleanupFinalizer).
	finalizerCRD = "customresourcecleanup.apiextensions.k8s.io"
	// finalizerClaim and finalizerVolume protect storage in use
	// (kubernetes/pkg/volume/util/finalizer.go).
	finalizerClaim  = "kubernetes.io/pvc-protection"
	finalizerVolume = "kubernetes.io/pv-protection"
	// finalizerJob makes the Job controller count a Pod before it goes
	// (k8s.io/api/batch/v1 JobTrackingFinalizer).
	finalizerJob = "batch.kubernetes.io/job-tracking"
)

func isDeletingNamespace(o stuck.Object) bool { return o.IsNamespace() && o.Deleting() }

func deletingWith(finalizer string) func(stuck.Object) bool {
	return func(o stuck.Object) bool { return o.Deleting() && o.HasFinalizer(finalizer) }
}

// elapsed is how long ago something happened, to the second.
func elapsed(view *cluster.View, t time.Time) time.Duration { return view.Now().Sub(t) }

package kit

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
) // Finalizers of Kubernetes itself.
const (
	// FinalizerKubernetes is the namespace controller's own, in spec.finalizers
	// (k8s.io/api/core/v1 FinalizerKubernetes).
	FinalizerKubernetes = "kubernetes"
	// FinalizerCRD belongs to the API server (apiextensions/v1
	// CustomResourceCleanupFinalizer).
	FinalizerCRD = "customresourcecleanup.apiextensions.k8s.io"
	// FinalizerClaim and finalizerVolume protect storage in use
	// (kubernetes/pkg/volume/util/finalizer.go).
	FinalizerClaim  = "kubernetes.io/pvc-protection"
	FinalizerVolume = "kubernetes.io/pv-protection"
	// FinalizerJob makes the Job controller count a Pod before it goes
	// (k8s.io/api/batch/v1 JobTrackingFinalizer).
	FinalizerJob = "batch.kubernetes.io/job-tracking"
)

func IsDeletingNamespace(o stuck.Object) bool { return o.IsNamespace() && o.Deleting() }

func DeletingWith(finalizer string) func(stuck.Object) bool {
	return func(o stuck.Object) bool { return o.Deleting() && o.HasFinalizer(finalizer) }
}

// HasRemovableFinalizers reports whether there are finalizers whose removal could be refused.
func HasRemovableFinalizers(o stuck.Object) bool {
	return o.Deleting() && !o.NamespaceMissing && len(o.Finalizers) > 0
}

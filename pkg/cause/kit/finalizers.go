package kit

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Finalizers of Kubernetes itself.
const (
	// FinalizerKubernetes is the namespace controller's own, in spec.finalizers
	// (k8s.io/api/core/v1 FinalizerKubernetes).
	FinalizerKubernetes = "kubernetes"
	// FinalizerCRD belongs to the API server (apiextensions/v1
	// CustomResourceCleanupFinalizer).
	FinalizerCRD = "customresourcecleanup.apiextensions.k8s.io"
	// FinalizerClaim protects claims in use (kubernetes/pkg/volume/util/finalizer.go).
	FinalizerClaim = "kubernetes.io/pvc-protection"
	// FinalizerVolume protects volumes that are bound.
	FinalizerVolume = "kubernetes.io/pv-protection"
	// FinalizerJob makes the Job controller count a Pod before it goes
	// (k8s.io/api/batch/v1 JobTrackingFinalizer).
	FinalizerJob = "batch.kubernetes.io/job-tracking"
	// FinalizerDeviceClaim protects ResourceClaims whose devices are allocated
	// (k8s.io/api/resource/v1 Finalizer).
	FinalizerDeviceClaim = "resource.kubernetes.io/delete-protection"
	// FinalizerServiceCIDR protects address ranges that Services have addresses of
	// (kubernetes/pkg/controller/servicecidrs/servicecidrs_controller.go).
	FinalizerServiceCIDR = "networking.k8s.io/service-cidr-finalizer"
)

// Finalizers of controllers that drain a node before they end its machine, which
// causes of Kubernetes itself and of these projects know.
const (
	// FinalizerKarpenter is on Nodes and NodeClaims (karpenter/pkg/apis/v1/labels.go).
	FinalizerKarpenter = "karpenter.sh/termination"
	// FinalizerMachine is on Cluster API's Machines
	// (cluster-api/api/core/v1beta2/machine_types.go).
	FinalizerMachine = "machine.cluster.x-k8s.io"
)

// IsDeletingNamespace reports whether the object is a Namespace that is being deleted.
func IsDeletingNamespace(o stuck.Object) bool { return o.IsNamespace() && o.Deleting() }

// DeletingWith selects the objects that are being deleted and carry a finalizer.
func DeletingWith(finalizer string) func(stuck.Object) bool {
	return func(o stuck.Object) bool { return o.Deleting() && o.HasFinalizer(finalizer) }
}

// HasRemovableFinalizers reports whether there are finalizers whose removal could be refused.
func HasRemovableFinalizers(o stuck.Object) bool {
	return o.Deleting() && !o.NamespaceMissing && len(o.Finalizers) > 0
}

// Code generated from the causes of this package. DO NOT EDIT.

package diagnose

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/argocd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/capi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/crossplane"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/flux"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/karpenter"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/knative"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/olm"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/rancher"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/rook"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/snapshot"
)

// All are the causes, in the order of their names.
func All() []kit.Cause {
	return []kit.Cause{
		cause.APIServerCannotWrite,
		cause.APIServiceUnavailable,
		argocd.ArgoCDProjectInUse,
		argocd.ArgoCDProjectMissing,
		capi.CAPIClusterMissing,
		capi.CAPIDeleteHook,
		capi.CAPIKubeconfigMissing,
		capi.CAPIPartsRemain,
		capi.CAPIPaused,
		cause.CRDCleanupFailed,
		cause.CRDInstancesRemain,
		cause.ClaimInUse,
		cause.NamespaceContentRemains,
		cause.NamespaceContentRecreated,
		cause.DependentsRecreated,
		cause.KubeControllerManagerDown,
		cause.CRDConversionWebhookDown,
		crossplane.CrossplaneConfigMissing,
		crossplane.CrossplaneCredentialsMissing,
		crossplane.CrossplaneInUse,
		crossplane.CrossplanePaused,
		cause.DeleteDenied,
		cause.DeleteWebhookDown,
		cause.DependentsGone,
		cause.DependentsRemain,
		cause.APIServiceDiscoveryStale,
		cause.NodeDrainForbidden,
		flux.FluxKubeconfigMissing,
		cause.GarbageCollectorBlocked,
		cause.PodJobTracking,
		karpenter.KarpenterClassInUse,
		karpenter.KarpenterNodeRemains,
		karpenter.KarpenterVolumesAttached,
		knative.KnativeChannelNotReady,
		cause.PodKubeletCannotTearDown,
		cause.ServiceLoadBalancerNotReleased,
		cause.NamespaceFinalizer,
		cause.NamespaceDeleted,
		cause.NamespaceSpecFinalizer,
		cause.NamespaceWithoutConditions,
		cause.PodNodeLost,
		olm.OLMRolesRemain,
		cause.ObjectUnreadable,
		cause.ControllerCannotStart,
		cause.ControllerCrashLooping,
		cause.ControllerDeletedWithNamespace,
		cause.ControllerWatchesOtherNamespaces,
		cause.ControllerGone,
		cause.OwnerReferencesAcrossNamespaces,
		cause.ControllerLeaseExpired,
		cause.ControllerLostPermissions,
		cause.ControllerNotReady,
		cause.ControllerNotWatching,
		cause.ControllerProgressing,
		cause.OwnerReferencesCycle,
		cause.ControllerRetrying,
		cause.ControllerScaledToZero,
		cause.NamespacePodsFirst,
		rancher.RancherDisconnected,
		rook.RookDependents,
		rook.RookDisasterProtection,
		rook.RookNotEmpty,
		rook.RookVolumesRemain,
		cause.WriteRejectedBySchema,
		snapshot.SnapshotBound,
		cause.VolumeAttached,
		cause.VolumeBound,
		cause.WriteDeniedByPolicy,
		cause.WriteDeniedByWebhook,
		cause.WriteForbidden,
		cause.WriteWebhookDown,
	}
}

// Code generated from the folders of pkg/cause. DO NOT EDIT.

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

// Causes are all causes, in the order of their ids.
func Causes() []kit.Cause {
	return []kit.Cause{
		cause.APIServerCannotWrite,
		cause.APIServiceUnavailable,
		argocd.ProjectInUse,
		argocd.ProjectMissing,
		capi.ClusterMissing,
		capi.DeleteHook,
		capi.KubeconfigMissing,
		capi.ChildrenRemain,
		capi.Paused,
		cause.ClaimInUse,
		cause.NamespaceContentRemains,
		cause.NamespaceContentRecreated,
		cause.ControllerCannotStart,
		cause.ControllerCrashLooping,
		cause.ControllerDeletedWithNamespace,
		cause.DependentsRecreated,
		cause.ControllerGone,
		cause.ControllerLeaseExpired,
		cause.ControllerLostPermissions,
		cause.KubeControllerManagerDown,
		cause.ControllerNotReady,
		cause.ControllerNotWatching,
		cause.ControllerProgressing,
		cause.ControllerRetrying,
		cause.ControllerScaledToZero,
		cause.ControllerWatchesOtherNamespaces,
		cause.CRDConversionWebhookDown,
		cause.CRDCleanupFailed,
		cause.CRDInstancesRemain,
		crossplane.ProviderConfigMissing,
		crossplane.CredentialsMissing,
		crossplane.ProviderConfigInUse,
		crossplane.Paused,
		cause.DeleteDenied,
		cause.DeleteWebhookDown,
		cause.DependentsGone,
		cause.DependentsRemain,
		cause.APIServiceDiscoveryStale,
		cause.NodeDrainForbidden,
		flux.KubeconfigMissing,
		cause.GarbageCollectorBlocked,
		cause.PodJobTracking,
		karpenter.NodeClassInUse,
		karpenter.NodeRemains,
		karpenter.VolumesAttached,
		knative.ChannelNotReady,
		cause.PodKubeletCannotTearDown,
		cause.ServiceLoadBalancerNotReleased,
		cause.NamespaceFinalizer,
		cause.NamespaceDeleted,
		cause.NamespaceSpecFinalizer,
		cause.NamespaceWithoutConditions,
		cause.PodNodeLost,
		cause.ObjectUnreadable,
		olm.RolesRemain,
		cause.OwnerReferencesAcrossNamespaces,
		cause.OwnerReferencesCycle,
		cause.NamespacePodsFirst,
		rancher.Disconnected,
		rook.DependentsRemain,
		rook.DisasterProtection,
		rook.NotEmpty,
		rook.VolumesRemain,
		cause.WriteRejectedBySchema,
		snapshot.ContentBound,
		cause.VolumeAttached,
		cause.VolumeBound,
		cause.WriteDeniedByPolicy,
		cause.WriteDeniedByWebhook,
		cause.WriteForbidden,
		cause.WriteWebhookDown,
	}
}

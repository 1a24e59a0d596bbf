// Code generated from the causes of this package. DO NOT EDIT.

package cause

// All are the causes, in the order of their names.
func All() []Cause {
	return []Cause{
		APIServiceUnavailable,
		CRDInstances,
		ClaimInUse,
		ContentHeld,
		ControllerManagerDown,
		ConversionWebhookDown,
		DeleteDenied,
		DeleteWebhookDown,
		DependentsGone,
		DependentsRemain,
		DiscoveryStale,
		JobTracking,
		NamespaceFinalizer,
		NamespaceGone,
		NamespaceSpecFinalizer,
		NamespaceUnreported,
		NodeLost,
		OwnerCannotStart,
		OwnerCrashLooping,
		OwnerDiedWithNamespace,
		OwnerElsewhere,
		OwnerGone,
		OwnerLeaseExpired,
		OwnerLostRights,
		OwnerNotReady,
		OwnerNotWatching,
		OwnerProgressing,
		OwnerRetrying,
		OwnerScaledToZero,
		PodsFirst,
		SchemaRefuses,
		VolumeBound,
		WriteDeniedByPolicy,
		WriteDeniedByWebhook,
		WriteForbidden,
		WriteWebhookDown,
	}
}

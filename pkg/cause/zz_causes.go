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
		DependentsGone,
		DependentsRemain,
		DiscoveryStale,
		JobTracking,
		NamespaceFinalizer,
		NamespaceGone,
		NamespaceSpecFinalizer,
		NamespaceUnreported,
		NodeLost,
		PodsFirst,
		VolumeBound,
	}
}

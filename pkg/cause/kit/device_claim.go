package kit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodGroupResource are the pod groups of Kubernetes itself, which can be consumers of a
// ResourceClaim as Pods can.
var PodGroupResource = schema.GroupResource{Group: "scheduling.k8s.io", Resource: "podgroups"}

// IsPodConsumer reports whether a consumer of a ResourceClaim is a Pod.
func IsPodConsumer(c resourcev1.ResourceClaimConsumerReference) bool {
	return c.APIGroup == "" && c.Resource == "pods"
}

// IsPodGroupConsumer reports whether a consumer of a ResourceClaim is a pod group.
func IsPodGroupConsumer(c resourcev1.ResourceClaimConsumerReference) bool {
	return c.APIGroup == PodGroupResource.Group && c.Resource == PodGroupResource.Resource
}

// IsDoneWithClaims reports whether none of a Pod's containers runs or ever will: then it
// keeps no ResourceClaim (isPodDone in
// kubernetes/pkg/controller/resourceclaim/controller.go).
func IsDoneWithClaims(pod corev1.Pod) bool {
	return hasEnded(pod) || pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}

// DeviceLines are the devices that a ResourceClaim has, each as a line of evidence.
func DeviceLines(claim resourcev1.ResourceClaim) (out []string) {
	if claim.Status.Allocation == nil {
		return nil
	}
	devices := claim.Status.Allocation.Devices.Results
	for _, d := range devices[:min(len(devices), stuck.MaxUngrouped)] {
		out = append(out, fmt.Sprintf("status.allocation: device %s of pool %s, driver %s", d.Device, d.Pool, d.Driver))
	}
	if more := len(devices) - stuck.MaxUngrouped; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

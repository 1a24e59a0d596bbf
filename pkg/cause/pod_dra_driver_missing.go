package cause

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodDRADriverMissing is a Pod whose kubelet cannot release a device because the DRA driver
// of the device no longer runs on the node.
var PodDRADriverMissing = kit.Cause{
	ID:    "dra-driver-missing",
	Title: "The DRA driver of a pod's device no longer runs on the node, so the device cannot be released",
	Doc: kit.Doc{
		Symptoms: "A Pod with `spec.resourceClaims` is past its grace period on a node that is Ready, and all its containers are terminated. No ResourceSlice of the driver names the node. The kubelet logs `unprepare dynamic resources: DRA driver ... is not registered`.",
		Why:      "After the containers have stopped, the kubelet asks the DRA driver on the same node to unprepare the devices (NodeUnprepareResources), and retries until that succeeds. The driver was uninstalled before the pods that use it, its pod is not ready, or its DaemonSet no longer selects the node.",
		Fix:      "Make the driver run on the node until the pod is deleted. Uninstall a driver only after all pods that use it are deleted.",
		IfForced: "The kubelet has not released the devices. The scheduler may allocate the devices to another pod while they are still configured for this one.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := stoppedPod(view, o)
		if !ok {
			return nil
		}
		var findings []stuck.Finding
		for _, d := range kit.DevicesWithoutDriver(view, *pod).Items {
			findings = append(findings, missingDeviceDriverFinding(view, *pod, d))
		}
		return findings
	},
}

func missingDeviceDriverFinding(view *cluster.View, pod corev1.Pod, d kit.PreparedDevice) stuck.Finding {
	node := pod.Spec.NodeName
	f := kit.PodOnLostNodeFinding(pod)
	f.Certainty = stuck.Likely
	f.Message = fmt.Sprintf("DRA driver %s does not run on node/%s, so the kubelet cannot release the devices of resourceclaim/%s", d.Driver, node, d.Claim)
	f.Evidence = []string{
		fmt.Sprintf("no resourceslice of driver %s names node/%s", d.Driver, node),
		fmt.Sprintf("resourceclaim/%s: device %s of pool %s is reserved for this pod alone", d.Claim, d.Device, d.Pool),
	}
	f.OnForce = stuck.Cost{Leaves: stuck.LeakUnknown, Description: fmt.Sprintf("the devices of resourceclaim/%s are not released on node/%s, and another pod may get them", d.Claim, node)}
	addDriverDaemonSets(view, &f, d.Driver, node)
	f.Evidence = append(f.Evidence, stoppedPodEvidence(view, pod)...)
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("make DRA driver %s run on node/%s until the pod is deleted", d.Driver, node),
	})
	return f
}

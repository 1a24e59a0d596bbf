package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodCSIDriverMissing is a Pod whose kubelet cannot unmount a volume because the CSI driver
// of the volume no longer runs on the node.
var PodCSIDriverMissing = kit.Cause{
	ID:    "csi-driver-missing",
	Title: "The CSI driver of a pod's volume no longer runs on the node, so the volume cannot be unmounted",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period on a node that is Ready, and all its containers are terminated. `spec.drivers` of the node's CSINode does not list the driver of a volume of the Pod. The kubelet logs `driver name ... not found in the list of registered CSI drivers`.",
		Why:      "The kubelet unmounts a CSI volume through the driver's pod on the same node. The driver was uninstalled before the pods that use it, or its DaemonSet no longer selects the node: a label was removed, or a taint was added.",
		Fix:      "Make the driver run on the node until the pod is deleted. Uninstall a driver only after all pods that use it are deleted.",
		IfForced: "The volume remains mounted on the node. If another pod then mounts the same volume on another node, data is at risk.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := stoppedPod(view, o)
		if !ok {
			return nil
		}
		var findings []stuck.Finding
		var drivers []string
		for _, v := range kit.VolumesWithoutDriver(view, *pod).Items {
			if !slices.Contains(drivers, v.Driver) {
				drivers = append(drivers, v.Driver)
				findings = append(findings, missingDriverFinding(view, *pod, v))
			}
		}
		return findings
	},
}

func missingDriverFinding(view *cluster.View, pod corev1.Pod, v kit.CSIVolume) stuck.Finding {
	node := pod.Spec.NodeName
	f := kit.PodOnLostNodeFinding(pod)
	f.Certainty = stuck.Likely
	f.BlockedBy = stuck.Culprit{Kind: "CSIDriver", Name: v.Driver}
	f.Message = fmt.Sprintf("CSI driver %s does not run on node/%s, so the kubelet cannot unmount volume %s", v.Driver, node, v.Name)
	f.Evidence = []string{fmt.Sprintf("csinode/%s does not list driver %s", node, v.Driver)}
	f.OnForce.Description = fmt.Sprintf("volume %s remains mounted on node/%s, and the last writes may not be on disk", v.Name, node)
	reinstall := fmt.Sprintf("make driver %s run on node/%s until the pod is deleted", v.Driver, node)
	if view.IsCSIDriverUninstalled(v.Driver) {
		f.Message = fmt.Sprintf("CSI driver %s was uninstalled, so the kubelet cannot unmount volume %s", v.Driver, v.Name)
		f.Evidence = append(f.Evidence, fmt.Sprintf("csidriver/%s does not exist, and no node has registered the driver", v.Driver))
		reinstall = fmt.Sprintf("reinstall driver %s in the same version until the pod is deleted", v.Driver)
	}
	addDriverDaemonSets(view, &f, v.Driver, node)
	f.Evidence = append(f.Evidence, stoppedPodEvidence(view, pod)...)
	f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionChange, Description: reinstall})
	return f
}

package cause

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		pod, ok := kit.PodOnReadyNode(view, o)
		if !ok || !kit.AllContainersStopped(*pod) || !kit.IsCleanupOverdue(view, o) {
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
	for _, ds := range driverDaemonSets(view, v.Driver) {
		name := "daemonset/" + ds.Name + stuck.InNamespace(ds.Namespace)
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s mounts the plugin folder of the driver: %d of %d ready%s", name, ds.Status.NumberReady, ds.Status.DesiredNumberScheduled, missingOnNode(view, ds, node)))
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionCheck,
			Description: fmt.Sprintf("see why %s has no ready pod on node/%s (nodeSelector, affinity, tolerations)", name, node),
			Command:     stuck.Kubectlf(ds.Namespace, "describe daemonset %s", ds.Name),
		})
	}
	f.Evidence = append(f.Evidence,
		fmt.Sprintf("all containers have stopped, and the pod is %s past its grace period", kit.ElapsedText(view, pod.DeletionTimestamp.Time)),
		fmt.Sprintf("node/%s is Ready, and its kubelet has not reported that the pod is down", node))
	f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionChange, Description: reinstall})
	return f
}

// driverDaemonSets are the DaemonSets that mount the plugin folder of a driver.
func driverDaemonSets(view *cluster.View, driver string) []appsv1.DaemonSet {
	all := cluster.ReadList[appsv1.DaemonSet](view, cluster.DaemonSetType, cluster.Selection{}).Items
	return slices.DeleteFunc(all, func(ds appsv1.DaemonSet) bool { return !mountsPluginFolder(ds.Spec.Template.Spec, driver) })
}

// mountsPluginFolder reports whether Pods mount the folder of the kubelet that a driver has
// its socket in, or register the driver there: it has the name of the driver.
func mountsPluginFolder(pod corev1.PodSpec, driver string) bool {
	isFolder := func(path string) bool {
		_, rest, found := strings.Cut(path, "/plugins/"+driver)
		return found && (rest == "" || rest[0] == '/')
	}
	return slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.HostPath != nil && isFolder(v.HostPath.Path) }) ||
		slices.ContainsFunc(pod.Containers, func(c corev1.Container) bool { return slices.ContainsFunc(c.Args, isFolder) })
}

// missingOnNode says that a DaemonSet has no Pod on a node, where that is known.
func missingOnNode(view *cluster.View, ds appsv1.DaemonSet, node string) string {
	pods := view.PodsOnNode(node)
	if !pods.Complete || slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, &ds) }) {
		return ""
	}
	return ", no pod on node/" + node
}

package kit

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// PreparedDevice is a device that a DRA driver prepared on a node for a Pod.
type PreparedDevice struct {
	Claim  string // the name of the ResourceClaim
	Driver string
	Pool   string
	Device string
}

// DevicesWithoutDriver are the devices of a Pod, one of each claim and driver, whose DRA
// driver is not registered on the node of the Pod, complete if all that tells could be
// read. The kubelet asks the driver to unprepare a claim after the containers have stopped,
// and waits for that (SyncTerminatingPod in kubernetes/pkg/kubelet/kubelet.go). It deletes
// the ResourceSlices of the node half a minute after the driver's socket is gone
// (kubernetes/pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go).
func DevicesWithoutDriver(view *cluster.View, pod corev1.Pod) cluster.List[PreparedDevice] {
	out := preparedDevices(view, pod)
	present := map[string]bool{}
	for _, d := range out.Items {
		if _, known := present[d.Driver]; !known {
			runs, complete := runsDeviceDriver(view, d.Driver, pod.Spec.NodeName)
			present[d.Driver] = runs || !complete
			out.Complete = out.Complete && complete
		}
	}
	out.Items = slices.DeleteFunc(out.Items, func(d PreparedDevice) bool { return present[d.Driver] })
	return out
}

// preparedDevices are the devices of the claims of a Pod that no other consumer has: with
// another one on the node, the kubelet asks for nothing.
func preparedDevices(view *cluster.View, pod corev1.Pod) cluster.List[PreparedDevice] {
	out := cluster.List[PreparedDevice]{Complete: true}
	names := claimNames(pod)
	if len(names) == 0 {
		return out
	}
	t, served := view.TypeForResource(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"})
	if !served {
		return cluster.List[PreparedDevice]{}
	}
	for _, name := range names {
		claim := cluster.Read[resourcev1.ResourceClaim](view, t, pod.Namespace, name)
		out.Complete = out.Complete && (claim.Found() || claim.Absent())
		if claim.Found() && claim.Value.Status.Allocation != nil && isOnlyConsumer(pod, *claim.Value) {
			out.Items = append(out.Items, devicesToUnprepare(*claim.Value)...)
		}
	}
	return out
}

// claimNames are the names of the ResourceClaims that a Pod uses.
func claimNames(pod corev1.Pod) (names []string) {
	for _, c := range pod.Spec.ResourceClaims {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.ResourceClaimName != nil {
			names = append(names, *s.ResourceClaimName)
		}
	}
	if s := pod.Status.ExtendedResourceClaimStatus; s != nil {
		names = append(names, s.ResourceClaimName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isOnlyConsumer(pod corev1.Pod, claim resourcev1.ResourceClaim) bool {
	return len(claim.Status.ReservedFor) == 1 && claim.Status.ReservedFor[0].UID == pod.UID
}

// devicesToUnprepare are one device of each driver that has to unprepare a claim.
func devicesToUnprepare(claim resourcev1.ResourceClaim) (out []PreparedDevice) {
	for _, d := range claim.Status.Allocation.Devices.Results {
		skips := slices.Contains(d.SkipNodeOperations, resourcev1.SkipNodeOperationNodeUnprepareResources) ||
			slices.Contains(d.SkipNodeOperations, resourcev1.SkipNodeOperationAll)
		known := slices.ContainsFunc(out, func(p PreparedDevice) bool { return p.Driver == d.Driver })
		if !skips && !known {
			out = append(out, PreparedDevice{Claim: claim.Name, Driver: d.Driver, Pool: d.Pool, Device: d.Device})
		}
	}
	return out
}

// runsDeviceDriver reports whether a DRA driver runs on a node, and whether that is known:
// a driver whose devices belong to no node need not publish any there.
func runsDeviceDriver(view *cluster.View, driver, node string) (runs, known bool) {
	published := publishedDevices(view, driver, node)
	if len(published.Items) > 0 || !published.Complete {
		return true, published.Complete
	}
	sets, pods := DriverDaemonSets(view, driver), view.PodsOnNode(node)
	if slices.ContainsFunc(sets.Items, func(ds appsv1.DaemonSet) bool { return hasReadyPod(ds, pods.Items) }) {
		return true, true
	}
	complete := sets.Complete && pods.Complete
	if len(sets.Items) == 0 {
		shared := publishedDevices(view, driver, "")
		complete = complete && shared.Complete && len(shared.Items) == 0
	}
	return false, complete
}

// publishedDevices are the ResourceSlices of a driver that belong to a node, or to none.
func publishedDevices(view *cluster.View, driver, node string) cluster.List[resourcev1.ResourceSlice] {
	t, served := view.TypeForResource(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"})
	if !served {
		return cluster.List[resourcev1.ResourceSlice]{}
	}
	return cluster.ReadList[resourcev1.ResourceSlice](view, t, cluster.Selection{Fields: "spec.driver=" + driver + ",spec.nodeName=" + node})
}

package preflight

import (
	"fmt"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// lostDrivers are the drivers of volumes and devices whose DaemonSet is deleted, with the Pods that use
// them and are not: the kubelet cannot finish those without the driver on their node. A CSIDriver and a
// DeviceClass are only read when something begins to use the driver, and hold nothing when they are deleted
// (kubernetes/pkg/volume/csi/csi_mounter.go, TearDownAt; kubernetes/pkg/kubelet/cm/dra/manager.go,
// unprepareResources).
func (s otherSearch) lostDrivers() []Other {
	var out []Other
	for _, w := range s.stopped {
		if w.Type.Kind == cluster.DaemonSetType.Kind {
			volumes, runsVolumes := s.lostVolumeDrivers(w)
			devices, runsDevices := s.lostDeviceDrivers(w)
			if out = slices.Concat(out, volumes, devices); !runsVolumes && !runsDevices && slices.ContainsFunc(foldersOf(w), driverFolder.MatchString) {
				s.present.AddGaps(stuck.Gap{
					Source: fmt.Sprintf("which driver %s runs on the nodes", w.RefInNamespace()),
					Error:  "it has a folder of the kubelet for drivers, and no CSINode or ResourceSlice has a driver of that name",
				})
			}
		}
	}
	return slices.DeleteFunc(out, func(o Other) bool { return o.Count() == 0 })
}

// pluginFolder is the folder of the kubelet that a driver has its socket in, or its socket: it has the name of the driver.
var pluginFolder = regexp.MustCompile(`/plugins/([a-z0-9][a-z0-9.-]*)(?:/|$)`)

// driverFolder is a folder of the kubelet in which drivers have their sockets, or register.
var driverFolder = regexp.MustCompile(`/plugins(/|_registry|$)`)

// foldersOf are the folders of nodes that a workload has.
func foldersOf(w cluster.Workload) (paths []string) {
	for _, v := range w.PodTemplate.Spec.Volumes {
		if v.HostPath != nil {
			paths = append(paths, v.HostPath.Path)
		}
	}
	return paths
}

// driverNames are the names of the folders for drivers that a workload has.
func driverNames(w cluster.Workload) (out []string) {
	paths := foldersOf(w)
	for _, c := range w.PodTemplate.Spec.Containers {
		paths = append(paths, c.Args...)
	}
	for _, path := range paths {
		if m := pluginFolder.FindStringSubmatch(path); m != nil && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// lostVolumeDrivers are the CSI drivers that a DaemonSet runs on the nodes, and whether it runs any.
func (s otherSearch) lostVolumeDrivers(w cluster.Workload) (out []Other, runs bool) {
	nodes := cluster.ReadList[storagev1.CSINode](s.present, cluster.CSINodeType, cluster.Selection{}).Items
	for _, name := range driverNames(w) {
		registered := slices.ContainsFunc(nodes, func(n storagev1.CSINode) bool {
			return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == name })
		})
		if !registered {
			continue
		}
		runs = true
		pods := s.podsWithVolumes(name)
		if s.hasOtherDriver(w, "CSI driver "+name, len(pods), func(other cluster.Workload) bool { return slices.Contains(driverNames(other), name) }) {
			continue
		}
		f := lostDriver(w, "CSI driver "+name)
		f.Cause, f.Evidence = cause.PodCSIDriverMissing.ID, []string{w.Ref() + " has the folder of the driver, and nodes have registered the driver"}
		out = append(out, newOther(f, pods))
	}
	return out, runs
}

func lostDriver(w cluster.Workload, driver string) stuck.Finding {
	return stuck.Finding{
		BlockedBy: w.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked,
		Message: fmt.Sprintf("%s, which runs %s on the nodes, is deleted", w.RefInNamespace(), driver),
		Steps: []stuck.Step{
			{Action: stuck.ActionDelete, Description: "delete these pods first, or what makes them, and wait until they no longer exist"},
			{Action: stuck.ActionChange, Description: "or keep the driver on the nodes: without it the kubelet can neither start nor finish these pods"},
		},
	}
}

// hasOtherDriver reports whether another DaemonSet runs a driver and is not deleted: whether it runs on the
// nodes of the Pods is then a gap.
func (s otherSearch) hasOtherDriver(w cluster.Workload, driver string, pods int, runs func(cluster.Workload) bool) bool {
	for _, other := range s.present.Workloads("").Items {
		if other.Type.Kind == w.Type.Kind && !s.after.stops(other.UID) && runs(other) {
			if pods > 0 {
				s.present.AddGaps(stuck.Gap{
					Source: fmt.Sprintf("whether %s is left on the nodes of %s that need it", driver, stuck.Count(pods, "pod")),
					Error:  other.RefInNamespace() + " runs the driver too, perhaps on other nodes",
				})
			}
			return true
		}
	}
	return false
}

// podsWithVolumes are the Pods that are not deleted, have not ended, and have a volume of a driver.
func (s otherSearch) podsWithVolumes(driver string) []stuck.Object {
	claims := map[types.NamespacedName]bool{}
	for _, v := range s.present.PersistentVolumes().Items {
		if ref := v.Spec.ClaimRef; ref != nil && (v.Spec.CSI != nil && v.Spec.CSI.Driver == driver || migratedDriver(&v.Spec.PersistentVolumeSource) == driver) {
			claims[types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}] = true
		}
	}
	uses := func(pod corev1.Pod, v corev1.Volume) bool {
		switch {
		case v.CSI != nil:
			return v.CSI.Driver == driver
		case v.PersistentVolumeClaim != nil:
			return claims[types.NamespacedName{Namespace: pod.Namespace, Name: v.PersistentVolumeClaim.ClaimName}]
		case v.Ephemeral != nil:
			return claims[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name + "-" + v.Name}]
		}
		return migratedDriver(&v.VolumeSource) == driver
	}
	found := s.present.SelectObjects(cluster.PodType, cluster.Selection{}, "volumes of "+driver, func(content map[string]any) bool {
		var pod corev1.Pod
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &pod)
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		return err == nil && !ended && pod.Spec.NodeName != "" && slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return uses(pod, v) })
	})
	return slices.DeleteFunc(found.Items, func(o stuck.Object) bool { return s.deleted.uids[o.UID] })
}

// These are what is read of devices, in all versions of the API.
type (
	resourceSlice struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Driver string `json:"driver"`
		} `json:"spec"`
	}
	allocatedDevice struct {
		Driver string `json:"driver"`
	}
	resourceClaim struct {
		metav1.ObjectMeta `json:"metadata"`
		Status            struct {
			Allocation *struct {
				Devices struct {
					Results []allocatedDevice `json:"results"`
				} `json:"devices"`
			} `json:"allocation"`
			ReservedFor []struct {
				APIGroup string    `json:"apiGroup"`
				Resource string    `json:"resource"`
				Name     string    `json:"name"`
				UID      types.UID `json:"uid"`
			} `json:"reservedFor"`
		} `json:"status"`
	}
)

// lostDeviceDrivers are the DRA drivers that a DaemonSet runs on the nodes: it publishes their devices, or has their folder.
// It also returns whether there are any.
func (s otherSearch) lostDeviceDrivers(w cluster.Workload) (out []Other, runs bool) {
	slicesType, served := s.present.TypeForKindOrGap(schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"})
	claimsType, servesClaims := s.present.TypeForKindOrGap(schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaim"})
	if !served || !servesClaims {
		return nil, false
	}
	published := cluster.ReadList[resourceSlice](s.present, slicesType, cluster.Selection{}).Items
	for _, sameDriver := range stuck.GroupBy(published, func(slice resourceSlice) string { return slice.Spec.Driver }) {
		driver := sameDriver[0].Spec.Driver
		evidence := deviceDriverEvidence(w, sameDriver)
		if evidence == "" {
			continue
		}
		runs = true
		pods := s.podsWithDevices(claimsType, driver)
		if s.hasOtherDriver(w, "DRA driver "+driver, len(pods), func(other cluster.Workload) bool { return deviceDriverEvidence(other, sameDriver) != "" }) {
			continue
		}
		f := lostDriver(w, "DRA driver "+driver)
		f.Cause, f.Evidence = cause.PodDRADriverMissing.ID, []string{evidence}
		out = append(out, newOther(f, pods))
	}
	return out, runs
}

// deviceDriverEvidence is why a workload runs the DRA driver of some ResourceSlices, empty where it does not.
func deviceDriverEvidence(w cluster.Workload, published []resourceSlice) string {
	if slices.Contains(driverNames(w), published[0].Spec.Driver) {
		return w.Ref() + " has the folder of the driver"
	}
	for _, slice := range published {
		for _, m := range slice.ManagedFields {
			if controller.RunsAs(w, m.Manager) {
				return fmt.Sprintf("%s runs %s, which publishes the devices of the driver (field manager of resourceslice/%s)", w.Ref(), m.Manager, slice.Name)
			}
		}
	}
	return ""
}

// podsWithDevices are the Pods that are not deleted, and for which devices of a driver are reserved.
func (s otherSearch) podsWithDevices(claims stuck.Type, driver string) []stuck.Object {
	var out []stuck.Object
	for _, claim := range cluster.ReadList[resourceClaim](s.present, claims, cluster.Selection{}).Items {
		allocation := claim.Status.Allocation
		if allocation == nil || !slices.Contains(allocation.Devices.Results, allocatedDevice{driver}) {
			continue
		}
		for _, user := range claim.Status.ReservedFor {
			isKnown := slices.ContainsFunc(out, func(o stuck.Object) bool { return o.UID == user.UID })
			if user.APIGroup == "" && user.Resource == "pods" && !s.deleted.uids[user.UID] && !isKnown {
				out = append(out, stuck.Object{Type: cluster.PodType, Namespace: claim.Namespace, Name: user.Name, UID: user.UID})
			}
		}
	}
	return out
}

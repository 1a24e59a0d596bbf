package kit

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// DriverDaemonSets are the DaemonSets that mount the plugin folder of a driver.
func DriverDaemonSets(view *cluster.View, driver string) cluster.List[appsv1.DaemonSet] {
	all := cluster.ReadList[appsv1.DaemonSet](view, cluster.DaemonSetType, cluster.Selection{})
	all.Items = slices.DeleteFunc(all.Items, func(ds appsv1.DaemonSet) bool { return !mountsPluginFolder(ds.Spec.Template.Spec, driver) })
	return all
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

// hasReadyPod reports whether one of some Pods is a DaemonSet's and is ready.
func hasReadyPod(ds appsv1.DaemonSet, pods []corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, &ds) && cluster.IsPodReady(p) })
}

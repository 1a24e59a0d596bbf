package cluster

import (
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// controllerManagerSelector is the label of the static Pods that kubeadm and most
// installers run kube-controller-manager in. Hosted control planes show none.
const controllerManagerSelector = "component=kube-controller-manager"

// GarbageCollectorEnabled reports whether the garbage collector runs in
// kube-controller-manager, as far as the flags of its Pods tell.
func (v *View) GarbageCollectorEnabled() (enabled, known bool) {
	return v.BuiltInControllerEnabled(GarbageCollector)
}

// ControllerManagerPods are the static Pods of kube-controller-manager.
func (v *View) ControllerManagerPods() List[corev1.Pod] {
	return ReadList[corev1.Pod](v, PodType, Selection{Namespace: metav1.NamespaceSystem, Labels: controllerManagerSelector})
}

// ControllerManagerFeature reports how the flags of the Pods of kube-controller-manager set a feature
// gate, those of client-go among them, for which it reads no environment variables
// (ReplaceFeatureGates in kubernetes/pkg/features/kube_features.go). It is not set where they do not
// say, or not all the same.
func (v *View) ControllerManagerFeature(gate string) (on, set bool) {
	pods := v.ControllerManagerPods()
	for i, pod := range pods.Items {
		flags, _ := controllerManagerFlags(pod.Spec)
		value, ok := FeatureGate(flags, gate)
		if !ok || i > 0 && value != on {
			return false, false
		}
		on = value
	}
	return on, pods.Complete && len(pods.Items) > 0
}

// ControllerManagerPort is the port on which a Pod of kube-controller-manager serves metrics, by
// --secure-port (KubeControllerManagerPort in kubernetes/pkg/cluster/ports/ports.go).
func ControllerManagerPort(pod corev1.Pod) int {
	port := 10257
	flags, _ := controllerManagerFlags(pod.Spec)
	for _, flag := range flags {
		if text, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "secure-port="); ok {
			if n, err := strconv.Atoi(text); err == nil {
				port = n
			}
		}
	}
	return port
}

// controllerManagerFlags are what stands behind the program's name in the command of its
// container, false where the command does not name it, as in a script.
func controllerManagerFlags(spec corev1.PodSpec) (flags []string, ok bool) {
	for _, c := range spec.Containers {
		command := slices.Concat(c.Command, c.Args)
		i := slices.IndexFunc(command, func(word string) bool { return path.Base(word) == "kube-controller-manager" })
		if i >= 0 {
			return command[i+1:], true
		}
	}
	return nil, false
}

// enablesController reports whether flags of kube-controller-manager let a controller run:
// these do by default, --controllers can leave it out by its name or an alias, and
// --enable-garbage-collector=false stops the garbage collector
// (kubernetes/cmd/kube-controller-manager/app: core.go, controllermanager.go).
func enablesController(flags []string, c BuiltInController) bool {
	enabled := true
	var controllers []string
	for i, flag := range flags {
		name, value, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !strings.HasPrefix(flag, "-") {
			continue
		}
		switch name {
		case "controllers":
			if !hasValue && i+1 < len(flags) {
				value = flags[i+1]
			}
			controllers = append(controllers, strings.Split(value, ",")...)
		case "enable-garbage-collector":
			on, err := strconv.ParseBool(value)
			enabled = c != GarbageCollector || !hasValue || err != nil || on
		}
	}
	return enabled && startsController(controllers, c)
}

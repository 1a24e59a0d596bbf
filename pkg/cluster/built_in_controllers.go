package cluster

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// BuiltInController is a controller of kube-controller-manager, by the name that its
// --controllers flag takes (kubernetes/cmd/kube-controller-manager/names).
type BuiltInController string

// The controllers that deletions depend on.
const (
	NamespaceController        BuiltInController = "namespace-controller"
	GarbageCollector           BuiltInController = "garbage-collector-controller"
	ClaimProtectionController  BuiltInController = "persistentvolumeclaim-protection-controller"
	VolumeProtectionController BuiltInController = "persistentvolume-protection-controller"
	JobController              BuiltInController = "job-controller"
	PodGarbageCollector        BuiltInController = "pod-garbage-collector-controller"
	AttachDetachController     BuiltInController = "persistentvolume-attach-detach-controller"
	ResourceClaimController    BuiltInController = "resourceclaim-controller"
	ServiceCIDRController      BuiltInController = "service-cidr-controller"
	AttributesClassProtection  BuiltInController = "volumeattributesclass-protection-controller"
	QuotaController            BuiltInController = "resourcequota-controller"
)

// builtInAliases are the names that --controllers took before 1.28, and still takes
// (kubernetes/cmd/kube-controller-manager/app, aliases of each ControllerDescriptor).
var builtInAliases = map[BuiltInController]string{
	NamespaceController: "namespace", GarbageCollector: "garbagecollector", ClaimProtectionController: "pvc-protection",
	VolumeProtectionController: "pv-protection", JobController: "job", PodGarbageCollector: "podgc", AttachDetachController: "attachdetach",
	ResourceClaimController: "resource-claim-controller", QuotaController: "resourcequota",
}

// builtInFinalizers are the controllers by the finalizers that they remove
// (kubernetes/pkg/volume/util/finalizer.go, pkg/controller/servicecidrs, and k8s.io/api).
var builtInFinalizers = map[string]BuiltInController{
	metav1.FinalizerDeleteDependents: GarbageCollector, metav1.FinalizerOrphanDependents: GarbageCollector,
	"kubernetes.io/pvc-protection": ClaimProtectionController, "kubernetes.io/pv-protection": VolumeProtectionController,
	batchv1.JobTrackingFinalizer: JobController, resourcev1.Finalizer: ResourceClaimController,
	"networking.k8s.io/service-cidr-finalizer": ServiceCIDRController, "kubernetes.io/vac-protection": AttributesClassProtection,
}

// ControllerManagerFlagsCommand shows the flags by which kube-controller-manager leaves out
// controllers.
const ControllerManagerFlagsCommand = "kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml | grep -e --controllers -e --enable-garbage-collector"

// BuiltInControllerOf is the controller of kube-controller-manager that removes a finalizer
// of the object, false where another does.
func BuiltInControllerOf(o stuck.Object, finalizer string) (BuiltInController, bool) {
	if o.IsNamespace() && finalizer == string(corev1.FinalizerKubernetes) {
		return NamespaceController, true
	}
	c, ok := builtInFinalizers[finalizer]
	return c, ok
}

// Name is what people call the controller: its name without what all of them end with.
func (c BuiltInController) Name() string { return strings.TrimSuffix(string(c), "-controller") }

// BuiltInControllerEnabled reports whether a controller of kube-controller-manager is
// enabled, as far as the flags of its Pods tell: they all have to say the same. It is not
// known where there are no such Pods, or their flags cannot be read.
func (v *View) BuiltInControllerEnabled(c BuiltInController) (enabled, known bool) {
	pods := v.ControllerManagerPods()
	if !pods.Complete {
		return false, false
	}
	for i, pod := range pods.Items {
		flags, ok := controllerManagerFlags(pod.Spec)
		if !ok {
			return false, false
		}
		on := enablesController(flags, c)
		if i > 0 && on != enabled {
			return false, false
		}
		enabled = on
	}
	return enabled, len(pods.Items) > 0
}

// startsController reads --controllers as k8s.io/controller-manager/app does: the first item
// that names the controller decides, and "*" stands for those that nothing names.
func startsController(controllers []string, c BuiltInController) bool {
	for _, item := range controllers {
		name, disabled := strings.CutPrefix(strings.TrimSpace(item), "-")
		if name == string(c) || name == builtInAliases[c] && name != "" {
			return !disabled
		}
	}
	return len(controllers) == 0 || slices.Contains(controllers, "*")
}

package cluster

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Workload is what runs a controller: a Deployment, a StatefulSet or a
// DaemonSet, in the part that they share.
type Workload struct {
	Type        stuck.Type
	Namespace   string
	Name        string
	UID         types.UID
	Labels      map[string]string
	Annotations map[string]string
	Deleting    bool
	Selector    *metav1.LabelSelector
	PodTemplate corev1.PodTemplateSpec
	Desired     int
	Ready       int
	// ReplicaFailure is why no Pods can be made, where the workload says so.
	ReplicaFailure string
	// ProgressFailure is why a Deployment makes no progress, where it says so.
	ProgressFailure string
}

// ServiceAccountName is the ServiceAccount that the workload's Pods run as.
func (w Workload) ServiceAccountName() string {
	if w.PodTemplate.Spec.ServiceAccountName == "" {
		return "default"
	}
	return w.PodTemplate.Spec.ServiceAccountName
}

// Ref is the workload as kubectl names it.
func (w Workload) Ref() string { return w.Type.Singular() + "/" + w.Name }

// RefInNamespace is the workload with its namespace: "deployment/operator -n shop".
func (w Workload) RefInNamespace() string {
	return stuck.RefInNamespace(w.Type.Singular(), w.Name, w.Namespace)
}

// Culprit is the workload as the culprit of a finding.
func (w Workload) Culprit() stuck.Culprit {
	return stuck.Culprit{APIVersion: w.Type.GVK().GroupVersion().String(), Kind: w.Type.Kind, Namespace: w.Namespace, Name: w.Name}
}

// Workloads reads what runs in a namespace.
func (v *View) Workloads(namespace string) List[Workload] {
	return v.workloads(Selection{Namespace: namespace})
}

// WorkloadsNamed finds the workloads of a name in all namespaces.
func (v *View) WorkloadsNamed(name string) List[Workload] {
	return v.workloads(Selection{Name: name})
}

// WorkloadsLabeled finds the workloads that carry a label, in all namespaces.
func (v *View) WorkloadsLabeled(key, value string) List[Workload] {
	return v.workloads(Selection{Labels: key + "=" + value})
}

func (v *View) workloads(sel Selection) List[Workload] {
	d := ReadList[appsv1.Deployment](v, DeploymentType, sel)
	s := ReadList[appsv1.StatefulSet](v, StatefulSetType, sel)
	ds := ReadList[appsv1.DaemonSet](v, DaemonSetType, sel)
	out := List[Workload]{Complete: d.Complete && s.Complete && ds.Complete}
	for _, o := range d.Items {
		out.Items = append(out.Items, deploymentWorkload(o))
	}
	for _, o := range s.Items {
		w := newWorkload(StatefulSetType, o.ObjectMeta, o.Spec.Selector, o.Spec.Template)
		w.Desired, w.Ready = replicas(o.Spec.Replicas), int(o.Status.ReadyReplicas)
		out.Items = append(out.Items, w)
	}
	for _, o := range ds.Items {
		w := newWorkload(DaemonSetType, o.ObjectMeta, o.Spec.Selector, o.Spec.Template)
		w.Desired, w.Ready = int(o.Status.DesiredNumberScheduled), int(o.Status.NumberReady)
		out.Items = append(out.Items, w)
	}
	return out
}

func deploymentWorkload(o appsv1.Deployment) Workload {
	w := newWorkload(DeploymentType, o.ObjectMeta, o.Spec.Selector, o.Spec.Template)
	w.Desired, w.Ready = replicas(o.Spec.Replicas), int(o.Status.ReadyReplicas)
	i := slices.IndexFunc(o.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
		return c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue
	})
	if i >= 0 {
		w.ReplicaFailure = apitext.OneLine(o.Status.Conditions[i].Message)
	}
	i = slices.IndexFunc(o.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
		return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse
	})
	if i >= 0 {
		w.ProgressFailure = apitext.OneLine(o.Status.Conditions[i].Message)
	}
	return w
}

func newWorkload(t stuck.Type, meta metav1.ObjectMeta, selector *metav1.LabelSelector, pod corev1.PodTemplateSpec) Workload {
	return Workload{
		Type: t, Namespace: meta.Namespace, Name: meta.Name, UID: meta.UID, Labels: meta.Labels, Annotations: meta.Annotations,
		Deleting: meta.DeletionTimestamp != nil, Selector: selector, PodTemplate: pod,
	}
}

// replicas defaults to one, as in the API.
func replicas(n *int32) int {
	if n == nil {
		return 1
	}
	return int(*n)
}

// WorkloadPods reads the Pods of a workload, without those of another that has the same selector.
func (v *View) WorkloadPods(w Workload) List[corev1.Pod] {
	selector, err := metav1.LabelSelectorAsSelector(w.Selector)
	if err != nil || selector.Empty() {
		return List[corev1.Pod]{}
	}
	pods := ReadList[corev1.Pod](v, PodType, Selection{Namespace: w.Namespace, Labels: selector.String()})
	pods.Items = slices.DeleteFunc(slices.Clone(pods.Items), func(pod corev1.Pod) bool { return isPodOfAnother(w, pod) })
	return pods
}

// isPodOfAnother reports whether a Pod has another controller than a workload. The ReplicaSets of a Deployment have its name and
// the hash that is a label of their Pods (getNewReplicaSet in kubernetes/pkg/controller/deployment/sync.go).
func isPodOfAnother(w Workload, pod corev1.Pod) bool {
	owner := metav1.GetControllerOf(&pod)
	switch {
	case owner == nil:
		return false
	case w.Type.Kind == DeploymentType.Kind:
		return owner.Kind != "ReplicaSet" || owner.Name != w.Name+"-"+pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	}
	return owner.Kind != w.Type.Kind || owner.Name != w.Name
}

package cluster

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// deploymentLikeKinds run Pods like a Deployment does, and are looked at where they are
// served.
var deploymentLikeKinds = []schema.GroupKind{
	{Group: "argoproj.io", Kind: "Rollout"},
	{Group: "apps.openshift.io", Kind: "DeploymentConfig"},
	{Group: "serving.knative.dev", Kind: "Service"},
	{Group: "apps.kruise.io", Kind: "CloneSet"},
	{Group: "apps.kruise.io", Kind: "StatefulSet"},
	{Group: "apps.kruise.io", Kind: "DaemonSet"},
}

// unfinishedPods leaves out Pods that have come to their end.
const unfinishedPods = ",status.phase!=Succeeded,status.phase!=Failed"

// ObjectsRunningAs finds what runs as a ServiceAccount, or would, and is no [Workload]:
// Pods that have not ended, CronJobs, ReplicaSets that no Deployment made, and
// what others made in the likeness of a Deployment. Of Pods, which may be many,
// only the metadata is read.
func (v *View) ObjectsRunningAs(namespace, account string) List[stuck.Object] {
	out := objectsOf(v.survey("pods of "+namespace+"/"+account, SurveyRequest{
		Types:     []stuck.Type{PodType},
		Selection: Selection{Namespace: namespace, Fields: "spec.serviceAccountName=" + account + unfinishedPods},
		Keep:      func(stuck.Object) bool { return true },
	}))
	types := []stuck.Type{CronJobType, ReplicaSetType}
	for _, gk := range deploymentLikeKinds {
		if t, ok := v.TypeForKind(gk); ok {
			types = append(types, t)
		} else if gap, ok := v.groupDiscoveryGap(gk.Group); ok {
			v.AddGaps(gap)
			out.Complete = false
		}
	}
	for _, t := range types {
		all := ReadList[templatedWorkload](v, t, Selection{Namespace: namespace})
		out.Complete = out.Complete && all.Complete
		for _, each := range all.Items {
			if !isOwnedByDeployment(each) && slices.Contains([]string{each.Spec.Template.serviceAccountName(), each.Spec.JobTemplate.Spec.Template.serviceAccountName()}, account) {
				out.Items = append(out.Items, stuck.ObjectOf(t, each.ObjectMeta))
			}
		}
	}
	return out
}

// isOwnedByDeployment reports whether something was made by what is looked at itself.
func isOwnedByDeployment(t templatedWorkload) bool {
	owner := metav1.GetControllerOf(&t)
	return owner != nil && (owner.Kind == "Deployment" || owner.Kind == "Rollout")
}

// ReplicaSetOwner is what made a ReplicaSet, such as a Deployment; false where nothing
// did, or that could not be read.
func (v *View) ReplicaSetOwner(namespace, replicaSet string) (stuck.OwnerReference, bool) {
	m := v.Metadata(ReplicaSetType, namespace, replicaSet)
	if !m.Found() {
		return stuck.OwnerReference{}, false
	}
	return stuck.ObjectOf(ReplicaSetType, m.Value.ObjectMeta).ControllerReference()
}

// groupDiscoveryGap is the gap of an API group that discovery could not read, or that it may not
// name.
func (v *View) groupDiscoveryGap(group string) (stuck.Gap, bool) {
	if unbounded := v.unboundedDiscoveryGaps(); len(unbounded) > 0 {
		return unbounded[0], true
	}
	for _, gap := range v.shared.discoveryGaps {
		if group != "" && gap.GroupVersion.Group == group {
			return gap, true
		}
	}
	return stuck.Gap{}, false
}

// templatedWorkload is something that makes Pods, by itself or through Jobs.
type templatedWorkload struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template    podTemplate `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template podTemplate `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	} `json:"spec"`
}

// podTemplate is what is read of the Pods to be made, nil where there are none.
type podTemplate struct {
	Spec *struct {
		ServiceAccountName string `json:"serviceAccountName"`
	} `json:"spec"`
}

func (t podTemplate) serviceAccountName() string {
	switch {
	case t.Spec == nil:
		return ""
	case t.Spec.ServiceAccountName == "":
		return "default"
	}
	return t.Spec.ServiceAccountName
}

package cluster

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	cronJobs    = stuck.Type{Group: "batch", Version: "v1", Resource: "cronjobs", Kind: "CronJob", Namespaced: true}
	replicaSets = stuck.Type{Group: "apps", Version: "v1", Resource: "replicasets", Kind: "ReplicaSet", Namespaced: true}
)

// others run Pods like a Deployment does, and are looked at where they are
// served.
var others = []schema.GroupKind{
	{Group: "argoproj.io", Kind: "Rollout"},
	{Group: "apps.openshift.io", Kind: "DeploymentConfig"},
	{Group: "serving.knative.dev", Kind: "Service"},
	{Group: "apps.kruise.io", Kind: "CloneSet"},
	{Group: "apps.kruise.io", Kind: "StatefulSet"},
	{Group: "apps.kruise.io", Kind: "DaemonSet"},
}

// running leaves out Pods that have come to their end.
const running = ",status.phase!=Succeeded,status.phase!=Failed"

// RunAs finds what runs as a ServiceAccount, or would, and is no [Workload]:
// Pods that have not ended, CronJobs, ReplicaSets that no Deployment made, and
// what others made in the likeness of a Deployment. Of Pods, which may be many,
// only the metadata is read.
func (v *View) RunAs(namespace, account string) Many[stuck.Object] {
	out := many(v.pass("pods of "+namespace+"/"+account, Pass{
		Types:     []stuck.Type{pods},
		Selection: Selection{Namespace: namespace, Fields: "spec.serviceAccountName=" + account + running},
		Keep:      func(stuck.Object) bool { return true },
	}))
	types := []stuck.Type{cronJobs, replicaSets}
	for _, gk := range others {
		if t, ok := v.Type(gk); ok {
			types = append(types, t)
		} else if gap, ok := v.undiscovered(gk.Group); ok {
			v.Note(gap)
			out.Complete = false
		}
	}
	for _, t := range types {
		all := list[templated](v, t, Selection{Namespace: namespace})
		out.Complete = out.Complete && all.Complete
		for _, each := range all.Items {
			if !ofDeployment(each) && slices.Contains([]string{each.Spec.Template.account(), each.Spec.JobTemplate.Spec.Template.account()}, account) {
				out.Items = append(out.Items, whole(t, each.ObjectMeta))
			}
		}
	}
	return out
}

// ofDeployment says whether something was made by what is looked at itself.
func ofDeployment(t templated) bool {
	by := metav1.GetControllerOf(&t)
	return by != nil && (by.Kind == "Deployment" || by.Kind == "Rollout")
}

// MadeBy is what made a ReplicaSet, such as a Deployment; false where nothing
// did, or that could not be read.
func (v *View) MadeBy(namespace, replicaSet string) (stuck.Reference, bool) {
	m := v.Metadata(replicaSets, namespace, replicaSet)
	if !m.Found() {
		return stuck.Reference{}, false
	}
	return Object(replicaSets, m.Value).Controller()
}

// undiscovered is the gap of an API group that discovery could not read.
func (v *View) undiscovered(group string) (stuck.Gap, bool) {
	for _, gap := range v.shared.discovery {
		if found, _, ok := discoveryGap(gap); ok && found == group {
			return gap, true
		}
	}
	return stuck.Gap{}, false
}

// templated is something that makes Pods, by itself or through Jobs.
type templated struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template    template `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template template `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	} `json:"spec"`
}

// template is what is read of the Pods to be made, nil where there are none.
type template struct {
	Spec *struct {
		ServiceAccountName string `json:"serviceAccountName"`
	} `json:"spec"`
}

func (t template) account() string {
	switch {
	case t.Spec == nil:
		return ""
	case t.Spec.ServiceAccountName == "":
		return "default"
	}
	return t.Spec.ServiceAccountName
}

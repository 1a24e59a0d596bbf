package cluster

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
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

const (
	unfinishedPods = ",status.phase!=Succeeded,status.phase!=Failed"
	failedPods     = ",status.phase=Failed"
)

// AccountUser is what runs Pods as a ServiceAccount, or did.
type AccountUser struct {
	stuck.Object
	// State says why it runs none now, as in "is scaled to 0", and Ended that it never will.
	State string
	Ended bool
}

// ObjectsRunningAs finds what runs as a ServiceAccount, or would, and is no [Workload]:
// Pods that have not succeeded, Jobs, CronJobs, ReplicationControllers, ReplicaSets that no Deployment made, and
// what others made in the likeness of a Deployment. Of Pods, which may be many,
// only the metadata is read.
func (v *View) ObjectsRunningAs(namespace, account string) List[AccountUser] {
	out := v.podsRunningAs(namespace, account, unfinishedPods, AccountUser{})
	failed := v.podsRunningAs(namespace, account, failedPods, AccountUser{State: "has failed", Ended: true})
	out.Items, out.Complete = append(out.Items, failed.Items...), out.Complete && failed.Complete
	types := []stuck.Type{CronJobType, JobType, ReplicaSetType, ReplicationControllerType}
	for _, gk := range deploymentLikeKinds {
		if t, ok := v.TypeForKind(gk); ok {
			types = append(types, t)
		} else if gap, ok := v.groupDiscoveryGap(gk.Group); ok {
			v.AddGaps(gap)
			out.Complete = false
		}
	}
	makers := append(slices.Clone(types), DeploymentType)
	for _, t := range types {
		all := ReadList[templatedWorkload](v, t, Selection{Namespace: namespace})
		out.Complete = out.Complete && all.Complete
		for _, each := range all.Items {
			if o := stuck.ObjectOf(t, each.ObjectMeta); !isMadeBy(o, makers) && each.runsAs(account) {
				state, ended := each.state()
				out.Items = append(out.Items, AccountUser{Object: o, State: state, Ended: ended})
			}
		}
	}
	return out
}

// podsRunningAs are the Pods of an account in some phases, but those of Jobs.
func (v *View) podsRunningAs(namespace, account, phases string, as AccountUser) List[AccountUser] {
	pods := objectsOf(v.survey("pods of "+namespace+"/"+account+phases, SurveyRequest{
		Types:     []stuck.Type{PodType},
		Selection: Selection{Namespace: namespace, Fields: "spec.serviceAccountName=" + account + phases},
		Keep:      func(o stuck.Object) bool { return !isMadeBy(o, []stuck.Type{JobType}) },
	}))
	out := List[AccountUser]{Complete: pods.Complete}
	for _, o := range pods.Items {
		out.Items = append(out.Items, AccountUser{Object: o, State: as.State, Ended: as.Ended})
	}
	return out
}

// isMadeBy reports whether something was made by an object of the types, which is looked at itself.
func isMadeBy(o stuck.Object, types []stuck.Type) bool {
	return slices.ContainsFunc(o.Owners, func(owner stuck.OwnerReference) bool {
		return owner.Controller && slices.ContainsFunc(types, func(t stuck.Type) bool { return t.Kind == owner.Kind })
	})
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
		Replicas    *int32      `json:"replicas"`
		Suspend     bool        `json:"suspend"`
		Template    podTemplate `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template podTemplate `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

func (w templatedWorkload) runsAs(account string) bool {
	return slices.Contains([]string{w.Spec.Template.serviceAccountName(), w.Spec.JobTemplate.Spec.Template.serviceAccountName()}, account)
}

// state says why it runs no Pods, empty where it may run some, and whether it has ended.
func (w templatedWorkload) state() (text string, ended bool) {
	switch {
	case slices.ContainsFunc(w.Status.Conditions, jobHasEnded):
		return "has finished", true
	case w.Spec.Suspend:
		return "is suspended", false
	case w.Spec.Replicas != nil && *w.Spec.Replicas == 0:
		return "is scaled to 0", false
	}
	return "", false
}

// jobHasEnded reports whether a condition is one of those with which a Job ends.
func jobHasEnded(c metav1.Condition) bool {
	ends := c.Type == string(batchv1.JobComplete) || c.Type == string(batchv1.JobFailed)
	return ends && c.Status == metav1.ConditionTrue
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

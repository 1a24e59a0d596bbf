package health

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxOwnersRead is of how many objects of all types the owners are read.
const maxOwnersRead = 20

// uncollectedText says what the garbage collector does not do for objects of a type that its
// informer does not see. It knows neither their owners nor their deletion. That an owner among
// them was deleted it learns by reading the owner again and again, with pauses of up to 1000
// seconds (attemptToDeleteWorker in kubernetes/pkg/controller/garbagecollector/garbagecollector.go):
// where it can be read.
const uncollectedText = "its objects are not deleted after their owners, and keep the finalizers foregroundDeletion and orphan; what these own is deleted up to 17 minutes late, or not at all where they cannot be read"

// quotaImpact says what happens to ResourceQuotas while the informer of a type does not sync, nil
// where no quota can count the type. The quota controller waits at its start for the informers of
// all namespaced types with the verbs create, list, watch and delete, without a limit (NewController and
// Run in kubernetes/pkg/controller/resourcequota/resource_quota_controller.go), except Events
// (ignoredResources in kubernetes/pkg/quota/v1/install/registry.go).
func quotaImpact(t stuck.Type) []string {
	if !t.Namespaced || !t.Watchable || t.IsEvent() {
		return nil
	}
	return []string{fmt.Sprintf("if %s has the verbs create and delete: once kube-controller-manager restarts, no ResourceQuota of any namespace is updated before this is repaired", t)}
}

// unseenSince says since when a type is not seen, as far as an APIService says it.
func (c *checker) unseenSince(t stuck.Type) string {
	s := c.view.APIService(t.Group, t.Version)
	if !s.Found() {
		return ""
	}
	available, ok := s.Value.AvailableCondition()
	if !ok || available.Status == "True" || available.LastTransitionTime.IsZero() {
		return ""
	}
	return fmt.Sprintf(" since %s ago, when apiservice/%s became unavailable", duration.HumanDuration(c.view.Now().Sub(available.LastTransitionTime.Time)), s.Value.Name)
}

// managerListsInPages reports whether kube-controller-manager is known to request no streamed lists.
func (c *checker) managerListsInPages() bool {
	on, set := c.view.ControllerManagerFeature("WatchListClient")
	return set && !on
}

// managerStreamsLists reports whether kube-controller-manager may request streamed lists: from 1.34 on it does
// by default (WatchListClient in kubernetes/cmd/kube-controller-manager/app/options/options.go).
func (c *checker) managerStreamsLists() bool {
	minor, ok := c.view.MinorVersion()
	return !c.managerListsInPages() && (!ok || minor >= firstStreamingManager)
}

// firstStreamingManager is the minor version of the first kube-controller-manager that requests
// streamed lists by default.
const firstStreamingManager = 34

// addUncollected adds to the problem of a type whose objects can be read, but which the garbage
// collector does not see, the objects that it should have deleted, and those that wait for it.
// It checks the owners of some objects at most, and returns of how many.
func (c *checker) addUncollected(ctx context.Context, p *stuck.Problem, t stuck.Type, most int) int {
	if !c.managerStreamsLists() {
		return 0
	}
	waiting := c.stuckWithFinalizer(func(o stuck.Object, finalizer string) bool {
		return o.Type.GVR() == t.GVR() && (finalizer == metav1.FinalizerDeleteDependents || finalizer == metav1.FinalizerOrphanDependents)
	})
	p.Blocks = c.snapshot.withNamespaces(waiting)
	survey, err := cluster.SurveyRequest{
		Types: []stuck.Type{t}, Selection: cluster.Selection{Namespace: c.Namespace}, MaxObjects: maxStreamedObjects,
		Keep: func(o stuck.Object) bool { return len(o.Owners) > 0 && !o.Deleting() },
	}.Run(ctx, c.server)
	if err != nil {
		return 0
	}
	c.view.AddGaps(survey.Gaps...)
	if l := c.view.Lease(metav1.NamespaceSystem, "kube-controller-manager"); l.Found() && l.Value.Spec.AcquireTime != nil {
		p.Evidence = append(p.Evidence, fmt.Sprintf("kube-controller-manager leads since %s ago: its informer waits since then, or since the type was registered", duration.HumanDuration(c.view.Now().Sub(l.Value.Spec.AcquireTime.Time))))
	}
	var left []string
	read := survey.Objects[:min(len(survey.Objects), most)]
	for _, o := range read {
		if c.hasNoOwner(o) {
			left = append(left, o.RefInNamespace())
		}
	}
	if len(left) > 0 {
		p.Evidence = append(p.Evidence, fmt.Sprintf("not deleted, though none of their owners exists: %s (of %s with owners that were checked)", joinFirst(left), stuck.Count(len(read), "object")))
	}
	return len(read)
}

// hasNoOwner reports whether all owners of an object are known not to exist.
func (c *checker) hasNoOwner(o stuck.Object) bool {
	read := c.view.MetadataOf(o)
	if !read.Found() || len(read.Value.OwnerReferences) == 0 {
		return false
	}
	return !slices.ContainsFunc(read.Value.OwnerReferences, func(by metav1.OwnerReference) bool {
		gv, err := schema.ParseGroupVersion(by.APIVersion)
		t, ok := c.view.TypeForKind(schema.GroupKind{Group: gv.Group, Kind: by.Kind})
		if err != nil || !ok {
			return true
		}
		namespace := o.Namespace
		if !t.Namespaced {
			namespace = ""
		}
		owner := c.view.Metadata(t, namespace, by.Name)
		return !owner.Absent() && (!owner.Found() || owner.Value.UID == by.UID)
	})
}

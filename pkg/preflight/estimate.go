package preflight

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// namespaceDelay is how long the namespace controller waits before it begins
	// (kubernetes/pkg/controller/namespace/namespace_controller.go, namespaceDeletionGracePeriod).
	namespaceDelay = 5 * time.Second
	// finalizerDelay is after how long it looks again where objects have finalizers: half of finalizerEstimateSeconds and
	// a second more (kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go). Where Pods
	// remain it looks again after half of their longest grace period and a second more.
	finalizerDelay = 8 * time.Second
	lookAgain      = time.Second
	// namespaceWorkers is how many namespaces it deletes at once
	// (kubernetes/pkg/controller/namespace/config/v1alpha1/defaults.go, ConcurrentNamespaceSyncs).
	namespaceWorkers = 10
	// timePerObject is how long the API server takes to delete an object of a collection. It deletes one after
	// another (k8s.io/apiserver/pkg/server/options/etcd.go, DeleteCollectionWorkers), each with a write of etcd, which on
	// recommended disks takes less (etcd.io/docs/v3.6/faq: wal_fsync_duration_seconds).
	timePerObject = 10 * time.Millisecond
	// CollectorRate is how many objects the garbage collector deletes in a second, unless kube-controller-manager
	// has another --kube-api-qps (kubernetes/cmd/kube-controller-manager/app/core.go,
	// kubernetes/pkg/controller/apis/config/v1alpha1/defaults.go).
	CollectorRate = 20
)

// Estimate is how long a deletion takes if controllers remove their finalizers at once, and kube-controller-manager
// and etcd have their usual settings.
type Estimate struct {
	// SlowestPod is the Pod with the longest grace period, and GracePeriod is how long that is.
	SlowestPod  stuck.Object
	GracePeriod time.Duration
	// Dependents is how many objects the garbage collector has to delete one by one, and Collection how long that
	// takes.
	Dependents int
	Collection time.Duration
	// SlowestNamespace is the Namespace whose deletion takes the longest, with what takes how long in it.
	SlowestNamespace NamespaceEstimate
	// Namespaces is how long all Namespaces take.
	Namespaces time.Duration
}

// Total is how long everything takes: Namespaces, Pods and dependents are deleted at once.
func (e Estimate) Total() time.Duration { return max(e.GracePeriod, e.Collection, e.Namespaces) }

// NamespaceEstimate is how long the deletion of a Namespace takes.
type NamespaceEstimate struct {
	Name string
	// Objects is how many objects are in it, and Deletion how long the API server needs for them.
	Objects  int
	Deletion time.Duration
	// Pods is for how long the namespace controller waits for Pods, before it deletes anything else.
	Pods time.Duration
	// Waits is for how long it waits besides.
	Waits time.Duration
}

// Total is how long the Namespace takes.
func (e NamespaceEstimate) Total() time.Duration { return e.Deletion + e.Pods + e.Waits }

// estimate works out how long a deletion takes. graces are the longest grace periods of Pods by their namespaces.
func (d *deleted) estimate(slowestPod stuck.Object, graces map[string]time.Duration) Estimate {
	out := Estimate{SlowestPod: slowestPod, GracePeriod: graces[slowestPod.Namespace], Dependents: d.dependents()}
	out.Collection = time.Duration(out.Dependents/CollectorRate) * time.Second
	namespaces := map[string]*NamespaceEstimate{}
	for name := range d.namespaces {
		namespaces[name] = &NamespaceEstimate{Name: name, Waits: namespaceDelay}
		if grace := graces[name]; grace > 0 {
			namespaces[name].Pods = grace + 2*lookAgain // it looks twice in a grace period
		}
	}
	var deletion time.Duration
	for _, o := range d.all {
		n := namespaces[o.Namespace]
		if n == nil {
			continue
		}
		n.Objects++
		n.Deletion += timePerObject
		deletion += timePerObject
		if len(o.Finalizers) > 0 {
			n.Waits = namespaceDelay + finalizerDelay
		}
	}
	all := slices.SortedFunc(maps.Values(namespaces), func(a, b *NamespaceEstimate) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
	})
	if len(all) > 0 {
		out.SlowestNamespace = *all[0]
		out.Namespaces = max(all[0].Total(), deletion/namespaceWorkers)
	}
	return out
}

package cluster

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WatchCount is how many watches are open on a resource.
type WatchCount struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
	Open     int    `json:"open"`
}

// OpenWatches is how many watches are open on a type, false where that could not
// be read. Of several API servers one has answered, for itself alone.
func (v *View) OpenWatches(t stuck.Type) (int, bool) {
	m, ok := v.Metrics()
	if ok && len(m.Watches) == 0 {
		// An API server has watches of its own on itself: these metrics leave them out.
		v.AddGaps(stuck.Gap{Source: "/metrics", Error: "no count of open watches (apiserver_longrunning_requests)"})
		return 0, false
	}
	n := 0
	for _, w := range m.Watches {
		if w.Group == t.Group && w.Resource == t.Resource {
			n += w.Open
		}
	}
	return n, ok
}

// Metrics is what an API server counts, in the part that is read. Counts begin
// at its start.
type Metrics struct {
	// Started is when it started, zero where it does not tell.
	Started time.Time
	Watches []WatchCount
	// WatchCaches are its watch caches.
	WatchCaches map[schema.GroupResource]WatchCache
	// WebhookFailures are the failed calls of admission webhooks, by name.
	WebhookFailures map[WebhookKey]WebhookFailures
	// ConversionFailures counts the failed conversions of each CRD.
	ConversionFailures map[string]int
	// StaticAdmission are the admission plugins that have webhooks or policies from files, which are
	// in no list (k8s.io/apiserver/pkg/admission/plugin/manifest/metrics).
	StaticAdmission []string
	// FlowRejections counts the requests that API Priority and Fairness rejected
	// (k8s.io/apiserver/pkg/util/flowcontrol/metrics).
	FlowRejections map[FlowKey]int
	// CollectionDeletes are the requests that delete all objects of a type in a namespace, and
	// FinalizedNamespaces counts the last requests of the namespace controller for a namespace
	// (k8s.io/apiserver/pkg/endpoints/metrics).
	CollectionDeletes   map[schema.GroupResource]CollectionDeletes
	FinalizedNamespaces int
}

// CollectionDeletes count the requests that delete all objects of one type in a namespace, and those of
// them that ended with a timeout.
type CollectionDeletes struct{ Requests, Timeouts int }

// FlowKey is how the API server names rejected requests: by the FlowSchema that they matched, its
// PriorityLevelConfiguration, and the reason.
type FlowKey struct{ PriorityLevel, FlowSchema, Reason string }

// WatchCache is what an API server reports about the cache that it serves the
// watches on one resource from (k8s.io/apiserver/pkg/storage/cacher/metrics).
type WatchCache struct {
	// Initializations counts how often it was filled, and Unfilled how often that failed.
	Initializations, InitializationErrors int
	// ResourceVersion is the resourceVersion that it has come to, zero where unknown.
	ResourceVersion uint64
	// ConsistentReads counts the consistent reads that it was to serve, and Late those for
	// which it did not catch up in time.
	ConsistentReads, FallbackReads int
	// TerminatedWatches counts the watches that were closed because whoever watched was
	// too slow.
	TerminatedWatches int
	// ConsistentChecks and InconsistentChecks count the comparisons of the cache with etcd, by
	// their result (k8s.io/apiserver/pkg/storage/cacher/consistency).
	ConsistentChecks, InconsistentChecks int
	// DecodeErrors counts the objects in etcd that could not be decoded, each time that they
	// were read (k8s.io/apiserver/pkg/storage/etcd3/metrics).
	DecodeErrors int
	// ShardedWatches is how many of the open watches follow a part of the objects (KEP-5866):
	// one client may have several of them.
	ShardedWatches int
}

// WebhookKey is how the API server names an admission webhook in its counters.
type WebhookKey struct {
	Name     string
	Mutating bool
}

// WebhookFailures counts the calls of a webhook that failed: those for which a request
// was refused, and those after which the API server went on.
type WebhookFailures struct{ Rejected, Ignored int }

// Metrics are those of the API server that answered, false where they could not
// be read.
func (v *View) Metrics() (Metrics, bool) {
	read := memoizeWithGaps(v, "metrics", func() (Answer[Metrics], []stuck.Gap) {
		m, err := v.shared.source.Metrics(v.ctx)
		if err != nil {
			return Answer[Metrics]{}, []stuck.Gap{{Source: "/metrics", Error: apitext.ErrorMessage(err), MissingPermission: MissingPathPermission("/metrics", err)}}
		}
		return Answer[Metrics]{Value: &m}, nil
	})
	if !read.Found() {
		return Metrics{}, false
	}
	return *read.Value, true
}

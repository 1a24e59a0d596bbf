package cluster

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

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
}

// WatchCache is what an API server tells of the cache that it serves the
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
}

// WebhookKey is how the API server names an admission webhook in its counters.
type WebhookKey struct {
	Name     string
	Mutating bool
}

// WebhookFailures counts the calls of a webhook that failed: those for which a request
// was refused, and those after which the API server went on.
type WebhookFailures struct{ Rejected, Ignored int }

// Metrics reads the API server's metrics, line by line: they run to megabytes,
// and all but a few lines are of no use here.
func (s *Server) Metrics(ctx context.Context) (Metrics, error) {
	return sendLimited(ctx, s, func(ctx context.Context) (Metrics, error) {
		body, err := s.discovery.RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Stream(ctx)
		if err != nil {
			return Metrics{}, err
		}
		defer body.Close()
		return parseMetrics(body)
	})
}

func parseMetrics(body io.Reader) (Metrics, error) {
	m := Metrics{WatchCaches: map[schema.GroupResource]WatchCache{}, WebhookFailures: map[WebhookKey]WebhookFailures{}, ConversionFailures: map[string]int{}}
	openWatches := map[schema.GroupResource]int{}
	err := parseSamples(body, m.handlers(openWatches))
	if err != nil {
		return Metrics{}, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	for gr, n := range openWatches {
		m.Watches = append(m.Watches, WatchCount{Group: gr.Group, Resource: gr.Resource, Open: n})
	}
	slices.SortFunc(m.Watches, func(a, b WatchCount) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return m, nil
}

// handlers are what is read, by the name of the metric.
func (m *Metrics) handlers(openWatches map[schema.GroupResource]int) map[string]func(sample) {
	cache := func(update func(*WatchCache, sample)) func(sample) {
		return func(s sample) {
			c := m.WatchCaches[s.groupResource()]
			update(&c, s)
			m.WatchCaches[s.groupResource()] = c
		}
	}
	return map[string]func(sample){
		"process_start_time_seconds": func(s sample) { m.Started = time.UnixMilli(int64(s.value * 1000)).UTC() },
		// k8s.io/apiserver/pkg/endpoints/metrics
		"apiserver_longrunning_requests": func(s sample) {
			if s.label("verb") == "WATCH" && s.label("subresource") == "" {
				openWatches[s.groupResource()] += s.count()
			}
		},
		"apiserver_watch_cache_initializations_total":       cache(func(c *WatchCache, s sample) { c.Initializations = s.count() }),
		"apiserver_watch_cache_initialization_errors_total": cache(func(c *WatchCache, s sample) { c.InitializationErrors = s.count() }),
		"apiserver_watch_cache_resource_version":            cache(func(c *WatchCache, s sample) { c.ResourceVersion = uint64(s.value) }),
		"apiserver_terminated_watchers_total":               cache(func(c *WatchCache, s sample) { c.TerminatedWatches = s.count() }),
		"apiserver_watch_cache_consistent_read_total": cache(func(c *WatchCache, s sample) {
			c.ConsistentReads += s.count()
			if s.label("fallback") != "false" {
				c.FallbackReads += s.count()
			}
		}),
		// k8s.io/apiserver/pkg/admission/metrics
		"apiserver_admission_webhook_rejection_count": func(s sample) {
			if s.label("error_type") == "calling_webhook_error" {
				calls := m.WebhookFailures[s.webhookKey()]
				calls.Rejected += s.count()
				m.WebhookFailures[s.webhookKey()] = calls
			}
		},
		"apiserver_admission_webhook_fail_open_count": func(s sample) {
			calls := m.WebhookFailures[s.webhookKey()]
			calls.Ignored += s.count()
			m.WebhookFailures[s.webhookKey()] = calls
		},
		// apiextensions-apiserver/pkg/apiserver/conversion/metrics.go
		"apiserver_crd_conversion_webhook_duration_seconds_count": func(s sample) {
			if s.label("succeeded") == "false" {
				m.ConversionFailures[s.label("crd_name")] += s.count()
			}
		},
	}
}

// Metrics are those of the API server that answered, false where they could not
// be read.
func (v *View) Metrics() (Metrics, bool) {
	read := memoizeWithGaps(v, "metrics", func() (Answer[Metrics], []stuck.Gap) {
		m, err := v.shared.source.Metrics(v.ctx)
		if err != nil {
			return Answer[Metrics]{}, []stuck.Gap{{Source: "/metrics", Error: ErrorMessage(err), MissingPermission: MissingPathPermission("/metrics", err)}}
		}
		return Answer[Metrics]{Value: &m}, nil
	})
	if !read.Found() {
		return Metrics{}, false
	}
	return *read.Value, true
}

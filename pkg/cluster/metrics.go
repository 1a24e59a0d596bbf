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
	Watches []Watch
	// Caches are its watch caches.
	Caches map[schema.GroupResource]WatchCache
	// Hooks are the failed calls of admission webhooks, by name.
	Hooks map[HookName]HookCalls
	// Conversions counts the failed conversions of each CRD.
	Conversions map[string]int
}

// WatchCache is what an API server tells of the cache that it serves the
// watches on one resource from (k8s.io/apiserver/pkg/storage/cacher/metrics).
type WatchCache struct {
	// Filled counts how often it was filled, and Unfilled how often that failed.
	Filled, Unfilled int
	// Version is the resourceVersion that it has come to, zero where unknown.
	Version uint64
	// Read counts the consistent reads that it was to serve, and Late those for
	// which it did not catch up in time.
	Read, Late int
	// Terminated counts the watches that were closed because whoever watched was
	// too slow.
	Terminated int
}

// HookName is how the API server names an admission webhook in its counters.
type HookName struct {
	Name     string
	Mutating bool
}

// HookCalls counts the calls of a webhook that failed: those for which a request
// was refused, and those after which the API server went on.
type HookCalls struct{ Refused, Ignored int }

// Metrics reads the API server's metrics, line by line: they run to megabytes,
// and all but a few lines are of no use here.
func (s *Server) Metrics(ctx context.Context) (Metrics, error) {
	return turn(ctx, s, func(ctx context.Context) (Metrics, error) {
		body, err := s.discovery.RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Stream(ctx)
		if err != nil {
			return Metrics{}, err
		}
		defer body.Close()
		return readMetrics(body)
	})
}

func readMetrics(body io.Reader) (Metrics, error) {
	m := Metrics{Caches: map[schema.GroupResource]WatchCache{}, Hooks: map[HookName]HookCalls{}, Conversions: map[string]int{}}
	open := map[schema.GroupResource]int{}
	err := readSamples(body, m.readers(open))
	if err != nil {
		return Metrics{}, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	for gr, n := range open {
		m.Watches = append(m.Watches, Watch{Group: gr.Group, Resource: gr.Resource, Open: n})
	}
	slices.SortFunc(m.Watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return m, nil
}

// readers are what is read, by the name of the metric.
func (m *Metrics) readers(open map[schema.GroupResource]int) map[string]func(sample) {
	cache := func(note func(*WatchCache, sample)) func(sample) {
		return func(s sample) {
			c := m.Caches[s.resource()]
			note(&c, s)
			m.Caches[s.resource()] = c
		}
	}
	return map[string]func(sample){
		"process_start_time_seconds": func(s sample) { m.Started = time.UnixMilli(int64(s.value * 1000)).UTC() },
		// k8s.io/apiserver/pkg/endpoints/metrics
		"apiserver_longrunning_requests": func(s sample) {
			if s.label("verb") == "WATCH" && s.label("subresource") == "" {
				open[s.resource()] += s.count()
			}
		},
		"apiserver_watch_cache_initializations_total":       cache(func(c *WatchCache, s sample) { c.Filled = s.count() }),
		"apiserver_watch_cache_initialization_errors_total": cache(func(c *WatchCache, s sample) { c.Unfilled = s.count() }),
		"apiserver_watch_cache_resource_version":            cache(func(c *WatchCache, s sample) { c.Version = uint64(s.value) }),
		"apiserver_terminated_watchers_total":               cache(func(c *WatchCache, s sample) { c.Terminated = s.count() }),
		"apiserver_watch_cache_consistent_read_total": cache(func(c *WatchCache, s sample) {
			c.Read += s.count()
			if s.label("fallback") != "false" {
				c.Late += s.count()
			}
		}),
		// k8s.io/apiserver/pkg/admission/metrics
		"apiserver_admission_webhook_rejection_count": func(s sample) {
			if s.label("error_type") == "calling_webhook_error" {
				calls := m.Hooks[s.hook()]
				calls.Refused += s.count()
				m.Hooks[s.hook()] = calls
			}
		},
		"apiserver_admission_webhook_fail_open_count": func(s sample) {
			calls := m.Hooks[s.hook()]
			calls.Ignored += s.count()
			m.Hooks[s.hook()] = calls
		},
		// apiextensions-apiserver/pkg/apiserver/conversion/metrics.go
		"apiserver_crd_conversion_webhook_duration_seconds_count": func(s sample) {
			if s.label("succeeded") == "false" {
				m.Conversions[s.label("crd_name")] += s.count()
			}
		},
	}
}

// Metrics are those of the API server that answered, false where they could not
// be read.
func (v *View) Metrics() (Metrics, bool) {
	read := ask(v, "metrics", func() (One[Metrics], []stuck.Gap) {
		m, err := v.shared.source.Metrics(v.ctx)
		if err != nil {
			return One[Metrics]{}, []stuck.Gap{{Source: "/metrics", Error: Reason(err), Needs: NeedsPath("/metrics", err)}}
		}
		return One[Metrics]{Value: &m}, nil
	})
	if !read.Found() {
		return Metrics{}, false
	}
	return *read.Value, true
}

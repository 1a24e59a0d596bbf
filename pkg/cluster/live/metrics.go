package live

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Metrics reads the API server's metrics, line by line: they run to megabytes,
// and all but a few lines are of no use here. Since Kubernetes 1.37 the API server sends only those that are
// asked for (name[] of promhttp.HandlerForTransactional, client_golang 1.24); before, it sends all. The watches
// are those of others: this program's own are counted out.
func (s *Server) Metrics(ctx context.Context) (cluster.Metrics, error) {
	return sendRead(ctx, s, func(ctx context.Context) (cluster.Metrics, error) {
		own := s.ownWatches.count()
		request := s.discovery.RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain")
		for _, family := range metricFamilies() {
			request = request.Param("name[]", family)
		}
		body, err := request.Stream(ctx)
		if err != nil {
			return cluster.Metrics{}, err
		}
		defer body.Close()
		m, err := parseMetrics(body)
		s.ownWatches.subtractFrom(&m, own)
		return m, err
	})
}

func parseMetrics(body io.Reader) (cluster.Metrics, error) {
	m := cluster.Metrics{WatchCaches: map[schema.GroupResource]cluster.WatchCache{}, WebhookFailures: map[cluster.WebhookKey]cluster.WebhookFailures{}, ConversionFailures: map[string]int{}, FlowRejections: map[cluster.FlowKey]int{}, CollectionDeletes: map[schema.GroupResource]cluster.CollectionDeletes{}}
	openWatches := map[schema.GroupResource]int{}
	err := parseSamples(body, sampleHandlers(&m, openWatches))
	if err != nil {
		return cluster.Metrics{}, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	for gr, n := range openWatches {
		m.Watches = append(m.Watches, cluster.WatchCount{Group: gr.Group, Resource: gr.Resource, Open: n})
	}
	slices.SortFunc(m.Watches, func(a, b cluster.WatchCount) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return m, nil
}

// metricFamilies are the names under which the API server keeps what is read: the samples of a histogram bear suffixes.
func metricFamilies() []string {
	var out []string
	for name := range sampleHandlers(&cluster.Metrics{}, nil) {
		if histogram, ok := strings.CutSuffix(name, "_seconds_count"); ok {
			name = histogram + "_seconds"
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// sampleHandlers are what is read, by the name of the metric.
func sampleHandlers(m *cluster.Metrics, openWatches map[schema.GroupResource]int) map[string]func(sample) {
	handlers := watchCacheHandlers(m)
	maps.Copy(handlers, map[string]func(sample){
		"apiserver_request_total":    func(s sample) { readRequest(m, s) },
		"process_start_time_seconds": func(s sample) { m.Started = time.UnixMilli(int64(s.bounded(maxUnixTime) * 1000)).UTC() },
		// k8s.io/apiserver/pkg/endpoints/metrics
		"apiserver_longrunning_requests": func(s sample) {
			if s.label("verb") == "WATCH" && s.label("subresource") == "" {
				openWatches[s.groupResource()] += s.count()
			}
		},
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
		"apiserver_manifest_admission_config_controller_last_config_info": func(s sample) {
			if plugin := s.label("plugin"); plugin != "" && !slices.Contains(m.StaticAdmission, plugin) {
				m.StaticAdmission = append(m.StaticAdmission, plugin)
			}
		},
		"apiserver_flowcontrol_rejected_requests_total": func(s sample) {
			m.FlowRejections[cluster.FlowKey{PriorityLevel: s.label("priority_level"), FlowSchema: s.label("flow_schema"), Reason: s.label("reason")}] += s.count()
		},
	})
	return handlers
}

// readRequest reads what the API server counts of the requests of the namespace controller
// (k8s.io/apiserver/pkg/endpoints/metrics).
func readRequest(m *cluster.Metrics, s sample) {
	switch {
	case s.label("verb") == "DELETECOLLECTION" && s.label("scope") == "namespace":
		d := m.CollectionDeletes[s.groupResource()]
		d.Requests += s.count()
		if s.label("code") == "504" {
			d.Timeouts += s.count()
		}
		m.CollectionDeletes[s.groupResource()] = d
	case s.label("verb") == "PUT" && s.label("resource") == "namespaces" && s.label("subresource") == "finalize" && s.label("code") == "200":
		m.FinalizedNamespaces += s.count()
	}
}

// watchCacheHandlers are what is read of the caches that answer watches, by the name of the
// metric (k8s.io/apiserver/pkg/storage/cacher/metrics and pkg/storage/etcd3/metrics).
func watchCacheHandlers(m *cluster.Metrics) map[string]func(sample) {
	cache := func(update func(*cluster.WatchCache, sample)) func(sample) {
		return func(s sample) {
			c := m.WatchCaches[s.groupResource()]
			update(&c, s)
			m.WatchCaches[s.groupResource()] = c
		}
	}
	return map[string]func(sample){
		"apiserver_watch_cache_initializations_total":       cache(func(c *cluster.WatchCache, s sample) { c.Initializations = s.count() }),
		"apiserver_watch_cache_initialization_errors_total": cache(func(c *cluster.WatchCache, s sample) { c.InitializationErrors = s.count() }),
		"apiserver_watch_cache_resource_version":            cache(func(c *cluster.WatchCache, s sample) { c.ResourceVersion = s.version() }),
		"apiserver_terminated_watchers_total":               cache(func(c *cluster.WatchCache, s sample) { c.TerminatedWatches = s.count() }),
		"apiserver_watch_cache_consistent_read_total": cache(func(c *cluster.WatchCache, s sample) {
			c.ConsistentReads += s.count()
			if s.label("fallback") != "false" {
				c.FallbackReads += s.count()
			}
		}),
		"apiserver_storage_consistency_checks_total": cache(func(c *cluster.WatchCache, s sample) {
			switch s.label("status") {
			case "success":
				c.ConsistentChecks += s.count()
			case "failure":
				c.InconsistentChecks += s.count()
			}
		}),
		"apiserver_storage_decode_errors_total": cache(func(c *cluster.WatchCache, s sample) { c.DecodeErrors = s.count() }),
		"apiserver_watch_shards_total":          cache(func(c *cluster.WatchCache, s sample) { c.ShardedWatches = s.count() }),
	}
}

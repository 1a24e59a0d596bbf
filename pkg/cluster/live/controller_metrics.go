package live

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ControllerMetrics is what one Pod of a controller counts of itself, in the
// part that client-go and controller-runtime count for everybody.
type ControllerMetrics struct {
	// Queues are its work queues, by name (k8s.io/client-go/util/workqueue).
	Queues map[string]WorkQueue
	// Reconciles are counted by controller
	// (sigs.k8s.io/controller-runtime/pkg/internal/controller/metrics).
	Reconciles map[string]ReconcileCount
	// IsLeader says of each election whether the Pod leads
	// (k8s.io/client-go/tools/leaderelection).
	IsLeader map[string]bool
	// Informers are its informers, where it is built with component-base 0.37 or later and names
	// them (k8s.io/component-base/metrics/prometheus/clientgo/fifo). Of several on one type that
	// are named differently, the one that is furthest behind.
	Informers map[schema.GroupResource]InformerMetrics
	// CollectorSyncErrors counts how often the garbage collector of kube-controller-manager could not
	// sync its informers (kubernetes/pkg/controller/garbagecollector/metrics).
	CollectorSyncErrors int
}

// InformerMetrics are those of the informer of one type.
type InformerMetrics struct {
	// StoreVersion are the last 15 digits of the resourceVersion that its store has come to, zero
	// where unknown.
	StoreVersion uint64
	// Queued is how many changes wait, Processed how many were handled, and ProcessingTime how long
	// that took in all.
	Queued, Processed int
	ProcessingTime    time.Duration
}

// MayLead reports whether the Pod leads an election, or takes part in none.
func (m ControllerMetrics) MayLead() bool {
	return len(m.IsLeader) == 0 || slices.Contains(slices.Collect(maps.Values(m.IsLeader)), true)
}

// WorkQueue is a work queue.
type WorkQueue struct {
	// Depth is how many items wait.
	Depth int
	// LongestRunning is for how long the worker has been busy that has been so the
	// longest, Unfinished how long all of them together.
	LongestRunning, UnfinishedWork time.Duration
	// Adds counts the items that were added, Retries those of them that were added again after an
	// error.
	Adds, Retries int
	// Done counts the items that were processed, and WorkTime how long that took in all.
	Done     int
	WorkTime time.Duration
}

// ReconcileCount counts from the start of the Pod.
type ReconcileCount struct{ Total, Failed int }

// MetricsPort is where a Pod serves its metrics.
type MetricsPort struct {
	Number int
	TLS    bool
	Path   string
}

// MetricsPorts are the ports of a Pod that are named for metrics, or the one
// that its annotations name for Prometheus.
func MetricsPorts(pod corev1.Pod) []MetricsPort {
	var out []MetricsPort
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if name := strings.ToLower(p.Name); strings.Contains(name, "metrics") || strings.Contains(name, "prom") {
				out = append(out, MetricsPort{Number: int(p.ContainerPort), TLS: strings.Contains(name, "https"), Path: "/metrics"})
			}
		}
	}
	const annotation = "prometheus.io/"
	if n, err := strconv.Atoi(pod.Annotations[annotation+"port"]); err == nil && len(out) == 0 {
		port := MetricsPort{Number: n, TLS: pod.Annotations[annotation+"scheme"] == "https", Path: "/metrics"}
		// A path that leads out of the Pod would lead to the API server's own.
		if p := pod.Annotations[annotation+"path"]; path.IsAbs(p) && path.Clean(p) == p {
			port.Path = p
		}
		out = append(out, port)
	}
	return out
}

// podPatience is how long a Pod may take to tell its metrics, and mostOfPod how
// many bytes of them are read.
const (
	podMetricsTimeout  = 10 * time.Second
	maxPodMetricsBytes = 64 << 20
)

// ControllerMetrics reads the metrics of a Pod through the API server.
func (s *Server) ControllerMetrics(ctx context.Context, pod corev1.Pod, port MetricsPort) (ControllerMetrics, error) {
	return sendLimited(ctx, s, func(ctx context.Context) (ControllerMetrics, error) {
		ctx, cancel := context.WithTimeout(ctx, podMetricsTimeout)
		defer cancel()
		name := fmt.Sprintf("%s:%d", pod.Name, port.Number)
		if port.TLS {
			name = "https:" + name
		}
		request := s.discovery.RESTClient().Get().AbsPath("/api/v1/namespaces", pod.Namespace, "pods", name, "proxy", port.Path)
		body, err := request.SetHeader("Accept", "text/plain").Stream(ctx)
		if err != nil {
			return ControllerMetrics{}, err
		}
		defer body.Close()
		return parseControllerMetrics(io.LimitReader(body, maxPodMetricsBytes))
	})
}

func parseControllerMetrics(body io.Reader) (ControllerMetrics, error) {
	m := ControllerMetrics{Queues: map[string]WorkQueue{}, Reconciles: map[string]ReconcileCount{}, IsLeader: map[string]bool{}, Informers: map[schema.GroupResource]InformerMetrics{}}
	queue := func(update func(*WorkQueue, sample)) func(sample) {
		return func(s sample) {
			q := m.Queues[s.label("name")]
			update(&q, s)
			m.Queues[s.label("name")] = q
		}
	}
	reconciles := func(update func(*ReconcileCount, sample)) func(sample) {
		return func(s sample) {
			r := m.Reconciles[s.label("controller")]
			update(&r, s)
			m.Reconciles[s.label("controller")] = r
		}
	}
	handlers := informerHandlers(&m)
	maps.Copy(handlers, map[string]func(sample){
		// A queue with priorities has a line for each.
		"workqueue_depth": queue(func(q *WorkQueue, s sample) { q.Depth += s.count() }),
		"workqueue_longest_running_processor_seconds":            queue(func(q *WorkQueue, s sample) { q.LongestRunning = s.addTo(0) }),
		"workqueue_unfinished_work_seconds":                      queue(func(q *WorkQueue, s sample) { q.UnfinishedWork = s.addTo(0) }),
		"controller_runtime_reconcile_total":                     reconciles(func(r *ReconcileCount, s sample) { r.Total += s.count() }),
		"controller_runtime_reconcile_errors_total":              reconciles(func(r *ReconcileCount, s sample) { r.Failed += s.count() }),
		"leader_election_master_status":                          func(s sample) { m.IsLeader[s.label("name")] = s.value == 1 },
		"workqueue_retries_total":                                queue(func(q *WorkQueue, s sample) { q.Retries += s.count() }),
		"workqueue_adds_total":                                   queue(func(q *WorkQueue, s sample) { q.Adds += s.count() }),
		"workqueue_work_duration_seconds_count":                  queue(func(q *WorkQueue, s sample) { q.Done += s.count() }),
		"workqueue_work_duration_seconds_sum":                    queue(func(q *WorkQueue, s sample) { q.WorkTime = s.addTo(q.WorkTime) }),
		"garbagecollector_controller_resources_sync_error_total": func(s sample) { m.CollectorSyncErrors = s.count() },
	})
	if err := parseSamples(body, handlers); err != nil {
		return ControllerMetrics{}, fmt.Errorf("reading the metrics: %w", err)
	}
	return m, nil
}

// informerHandlers are what is read of informers, by the name of the metric.
func informerHandlers(m *ControllerMetrics) map[string]func(sample) {
	informer := func(update func(*InformerMetrics, sample)) func(sample) {
		return func(s sample) {
			i := m.Informers[s.groupResource()]
			update(&i, s)
			m.Informers[s.groupResource()] = i
		}
	}
	return map[string]func(sample){
		"informer_store_resource_version": informer(func(i *InformerMetrics, s sample) {
			if version := s.version(); i.StoreVersion == 0 || version < i.StoreVersion {
				i.StoreVersion = version
			}
		}),
		"informer_queued_items":                     informer(func(i *InformerMetrics, s sample) { i.Queued += s.count() }),
		"informer_processing_latency_seconds_count": informer(func(i *InformerMetrics, s sample) { i.Processed += s.count() }),
		"informer_processing_latency_seconds_sum":   informer(func(i *InformerMetrics, s sample) { i.ProcessingTime = s.addTo(i.ProcessingTime) }),
	}
}

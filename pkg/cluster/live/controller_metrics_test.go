package live_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
)

func TestControllerMetrics(t *testing.T) {
	const path = "/api/v1/namespaces/ops/pods/https:op-1:8443/proxy/metrics"
	server := fakeapi.Start(t, fakeapi.Responses{path: fakeapi.Respond(`# TYPE workqueue_depth gauge
workqueue_depth{controller="widget",name="widget",priority="0"} 3
workqueue_depth{controller="widget",name="widget",priority="-100"} 4
workqueue_longest_running_processor_seconds{controller="widget",name="widget"} 1.5
workqueue_unfinished_work_seconds{controller="widget",name="widget"} +Inf
controller_runtime_reconcile_total{controller="widget",result="error"} 5
controller_runtime_reconcile_total{controller="widget",result="success"} 7
controller_runtime_reconcile_errors_total{controller="widget"} 5
leader_election_master_status{name="widget-leader"} 1
leader_election_master_status{name="other"} 0
workqueue_adds_total{name="widget"} 9
workqueue_retries_total{name="widget"} 8
informer_store_resource_version{group="example.com",name="op",resource="widgets",version="v1"} 1.234567e+06
informer_store_resource_version{group="example.com",name="op",resource="widgets",version="v2"} 1.234568e+06
informer_queued_items{group="example.com",name="op",resource="widgets",version="v1"} 5
informer_processing_latency_seconds_bucket{group="example.com",name="op",resource="widgets",version="v1",le="0.001"} 1
informer_processing_latency_seconds_sum{group="example.com",name="op",resource="widgets",version="v1"} 90
informer_processing_latency_seconds_count{group="example.com",name="op",resource="widgets",version="v1"} 30
`)}).Server
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "op-1"}}
	got, err := server.ControllerMetrics(t.Context(), pod, live.MetricsPort{Number: 8443, TLS: true, Path: "/metrics"})
	if err != nil {
		t.Fatal(err)
	}
	want := live.ControllerMetrics{
		Queues:     map[string]live.WorkQueue{"widget": {Depth: 7, LongestRunning: 1500 * time.Millisecond, Adds: 9, Retries: 8}},
		Reconciles: map[string]live.ReconcileCount{"widget": {Total: 12, Failed: 5}},
		IsLeader:   map[string]bool{"widget-leader": true, "other": false},
		Informers:  map[schema.GroupResource]live.InformerMetrics{{Group: "example.com", Resource: "widgets"}: {StoreVersion: 1234567, Queued: 5, Processed: 30, ProcessingTime: 90 * time.Second}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMetricsPorts(t *testing.T) {
	port := func(name string) corev1.Pod {
		return corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: 80}, {Name: name, ContainerPort: 8080}}}}}}
	}
	annotated := func(pod corev1.Pod, annotations ...string) corev1.Pod {
		pod.Annotations = map[string]string{}
		for i := 0; i < len(annotations); i += 2 {
			pod.Annotations["prometheus.io/"+annotations[i]] = annotations[i+1]
		}
		return pod
	}
	for name, test := range map[string]struct {
		pod  corev1.Pod
		want []live.MetricsPort
	}{
		"none":            {pod: port("health")},
		"by name":         {pod: port("http-metrics"), want: []live.MetricsPort{{Number: 8080, Path: "/metrics"}}},
		"by flux's name":  {pod: port("http-prom"), want: []live.MetricsPort{{Number: 8080, Path: "/metrics"}}},
		"with TLS":        {pod: port("https-metrics"), want: []live.MetricsPort{{Number: 8080, TLS: true, Path: "/metrics"}}},
		"by annotation":   {pod: annotated(port("x"), "port", "9", "scheme", "https", "path", "/m"), want: []live.MetricsPort{{Number: 9, TLS: true, Path: "/m"}}},
		"an odd one":      {pod: annotated(port("x"), "port", "http")},
		"a parent folder": {pod: annotated(port("x"), "port", "9", "path", "/../../../secrets"), want: []live.MetricsPort{{Number: 9, Path: "/metrics"}}},
		"an odd path":     {pod: annotated(port("x"), "port", "9", "path", "../../secrets"), want: []live.MetricsPort{{Number: 9, Path: "/metrics"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, live.MetricsPorts(test.pod)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A right to the proxy is asked for where the API server refuses it, and not
// where the Pod does.
func TestUnmeasured(t *testing.T) {
	forbidden := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,
			"message":"pods \"op-1:80\" is forbidden: User \"v\" cannot get resource \"pods/proxy\" in API group \"\" in the namespace \"ops\""}`))
	}
	for name, test := range map[string]struct {
		line http.HandlerFunc
		want bool
	}{
		"by the API server": {line: forbidden, want: true},
		"by the pod":        {line: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you", http.StatusForbidden) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(t, fakeapi.Responses{"/api/v1/namespaces/ops/pods/op-1:80/proxy/metrics": test.line})
			pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "op-1"}}
			_, err := s.Server.ControllerMetrics(t.Context(), pod, live.MetricsPort{Number: 80, Path: "/metrics"})
			if err == nil {
				t.Fatal("it was read")
			}
			view := s.View(t, nil)
			view.AddPodMetricsGap(pod, err)
			if gaps := view.AllGaps(); len(gaps) != 1 || (gaps[0].MissingPermission != nil) != test.want {
				t.Errorf("the gap is %+v: %v", gaps, err)
			}
		})
	}
}

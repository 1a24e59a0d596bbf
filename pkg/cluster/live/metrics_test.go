package live_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// sampleMetrics are lines that an API server writes, and some that one could.
const sampleMetrics = `# HELP apiserver_longrunning_requests [STABLE] Gauge of all active long-running apiserver requests.
# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 2
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="WATCH",version="v1"} 1 1395066363000
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="resource",subresource="log",verb="CONNECT",version="v1"} 7
apiserver_longrunning_requests{component="apiserver",group="example.com",resource="widgets",scope="cluster",subresource="",verb="WATCH",version="v1"} NaN
apiserver_longrunning_requests_of_others{verb="WATCH",resource="pods"} 100
apiserver_watch_cache_initializations_total{group="",resource="pods"} 3
apiserver_watch_cache_initialization_errors_total{group="",resource="pods"} 2
apiserver_watch_cache_resource_version{group="",resource="pods"} 1.234567e+06
apiserver_watch_cache_consistent_read_total{fallback="false",group="",resource="pods",success="true"} 10
apiserver_watch_cache_consistent_read_total{fallback="true",group="",resource="pods",success="true"} 4
apiserver_watch_cache_consistent_read_total{fallback="skipped",group="",resource="pods",success="false"} 1
apiserver_terminated_watchers_total{group="",resource="pods"} 5
apiserver_storage_consistency_checks_total{group="",resource="pods",status="success"} 20
apiserver_storage_consistency_checks_total{group="",resource="pods",status="error"} 30
apiserver_storage_consistency_checks_total{group="",resource="pods",status="failure"} 2
apiserver_storage_decode_errors_total{group="",resource="pods"} 6
apiserver_watch_shards_total{group="",resource="pods"} 1
apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="a } \" , name=\"b\"",operation="UPDATE",rejection_code="500",type="admit"} 6
apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="hold.example.com",operation="UPDATE",rejection_code="500",type="validating"} 6
apiserver_admission_webhook_rejection_count{error_type="no_error",name="hold.example.com",operation="UPDATE",rejection_code="403",type="validating"} 60
apiserver_admission_webhook_fail_open_count{name="hold.example.com",type="validating"} 8
apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="widgets.example.com",from_version="v1",succeeded="false",to_version="v2"} 9
apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="widgets.example.com",from_version="v1",succeeded="true",to_version="v2"} 90
apiserver_manifest_admission_config_controller_last_config_info{apiserver_id_hash="a",hash="b",plugin="ValidatingAdmissionWebhook"} 1
apiserver_flowcontrol_rejected_requests_total{flow_schema="service-accounts",priority_level="workload-low",reason="queue-full"} 4
apiserver_flowcontrol_rejected_requests_total{flow_schema="service-accounts",priority_level="workload-low",reason="time-out"} 1
apiserver_request_total{code="504",component="apiserver",dry_run="",group="example.com",resource="widgets",scope="namespace",subresource="",verb="DELETECOLLECTION",version="v1"} 2
apiserver_request_total{code="200",component="apiserver",dry_run="",group="example.com",resource="widgets",scope="namespace",subresource="",verb="DELETECOLLECTION",version="v1"} 1
apiserver_request_total{code="504",component="apiserver",dry_run="",group="example.com",resource="widgets",scope="cluster",subresource="",verb="DELETECOLLECTION",version="v1"} 9
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="namespaces",scope="resource",subresource="finalize",verb="PUT",version="v1"} 11
apiserver_request_total{code="409",component="apiserver",dry_run="",group="",resource="namespaces",scope="resource",subresource="finalize",verb="PUT",version="v1"} 4

process_start_time_seconds 1.7723304e+09
`

func TestMetrics(t *testing.T) {
	got, err := fakeapi.Start(t, fakeapi.Responses{"/metrics": fakeapi.Respond(sampleMetrics)}).Server.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := cluster.Metrics{
		CollectionDeletes: map[schema.GroupResource]cluster.CollectionDeletes{
			{Group: "example.com", Resource: "widgets"}: {Requests: 3, Timeouts: 2},
		},
		FinalizedNamespaces: 11,
		Started:             time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC),
		Watches:             []cluster.WatchCount{{Resource: "pods", Open: 3}, {Group: "example.com", Resource: "widgets"}},
		WatchCaches: map[schema.GroupResource]cluster.WatchCache{
			{Resource: "pods"}: {Initializations: 3, InitializationErrors: 2, ResourceVersion: 1234567, ConsistentReads: 15, FallbackReads: 5, TerminatedWatches: 5, ConsistentChecks: 20, InconsistentChecks: 2, DecodeErrors: 6, ShardedWatches: 1},
		},
		WebhookFailures: map[cluster.WebhookKey]cluster.WebhookFailures{
			{Name: `a } \" , name=\"b\"`, Mutating: true}: {Rejected: 6},
			{Name: "hold.example.com"}:                    {Rejected: 6, Ignored: 8},
		},
		ConversionFailures: map[string]int{"widgets.example.com": 9},
		StaticAdmission:    []string{"ValidatingAdmissionWebhook"},
		FlowRejections: map[cluster.FlowKey]int{
			{PriorityLevel: "workload-low", FlowSchema: "service-accounts", Reason: "queue-full"}: 4,
			{PriorityLevel: "workload-low", FlowSchema: "service-accounts", Reason: "time-out"}:   1,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The API server is asked by the names of metrics, and not by those of a histogram's samples.
func TestMetricsAreAskedForByName(t *testing.T) {
	var names []string
	s := fakeapi.Start(t, fakeapi.Responses{"/metrics": func(w http.ResponseWriter, r *http.Request) {
		names = r.URL.Query()["name[]"]
		fakeapi.Respond(sampleMetrics)(w, r)
	}}).Server
	if _, err := s.Metrics(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"apiserver_admission_webhook_rejection_count", "apiserver_crd_conversion_webhook_duration_seconds", "apiserver_longrunning_requests",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not asked for: %q", want, names)
		}
	}
}

// Half of a number is no number: what cannot be read is an error, not zero.
func TestMetricsThatCannotBeRead(t *testing.T) {
	for _, body := range []string{
		`apiserver_longrunning_requests{verb="WATCH",resource="pods"} many`,
		`apiserver_longrunning_requests{verb="WATCH",resource="pods} 3`,
		`apiserver_longrunning_requests{verb="WATCH"`,
		`apiserver_longrunning_requests `,
	} {
		if m, err := fakeapi.Start(t, fakeapi.Responses{"/metrics": fakeapi.Respond(body)}).Server.Metrics(t.Context()); err == nil {
			t.Errorf("%s is read as %+v", body, m)
		}
	}
}

package live

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// FuzzMetrics reads the metrics of a Pod, which anybody may have written, and those of an API server: nothing that is counted is
// negative, however often it is counted, and no duration is longer than a program can run.
func FuzzMetrics(f *testing.F) {
	f.Add("workqueue_depth{name=\"widget\",priority=\"0\"} 3\nworkqueue_longest_running_processor_seconds{name=\"widget\"} 1.5\nworkqueue_work_duration_seconds_sum{name=\"widget\"} 90\n")
	f.Add("controller_runtime_reconcile_total{controller=\"widget\",result=\"error\"} 5 1395066363000\nleader_election_master_status{name=\"l\"} 1\n")
	f.Add("informer_store_resource_version{group=\"example.com\",resource=\"widgets\"} 1.234567e+06\ninformer_queued_items{resource=\"a } \\\" , b\"} -Inf\n")
	f.Add("informer_processing_latency_seconds_sum 9e99\nworkqueue_unfinished_work_seconds NaN\nworkqueue_adds_total -9e99\n# HELP x\n")
	f.Add("apiserver_longrunning_requests{group=\"\",resource=\"pods\",subresource=\"\",verb=\"WATCH\"} 2\napiserver_watch_cache_resource_version{resource=\"pods\"} -1\n")
	f.Add("apiserver_admission_webhook_rejection_count{error_type=\"calling_webhook_error\",name=\"a } \\\" , name=\\\"b\\\"\",type=\"admit\"} 6\n")
	f.Add("apiserver_request_total{code=\"504\",scope=\"namespace\",verb=\"DELETECOLLECTION\"} 2\nprocess_start_time_seconds 1.7723304e+09\n")
	f.Fuzz(func(t *testing.T, body string) {
		body += "\n" // so that the same lines are counted three times
		m, err := parseControllerMetrics(strings.NewReader(strings.Repeat(body, 3)))
		if err == nil {
			wantPossible(t, body, m)
		}
		api, err := parseMetrics(strings.NewReader(strings.Repeat(body, 3)))
		if err != nil {
			return
		}
		for _, w := range api.Watches {
			if w.Open < 0 {
				t.Errorf("%q has %+v", body, w)
			}
		}
		for _, c := range api.WatchCaches {
			if min(c.Initializations, c.InitializationErrors, c.ConsistentReads, c.FallbackReads, c.TerminatedWatches, c.DecodeErrors) < 0 || c.FallbackReads > c.ConsistentReads {
				t.Errorf("%q has %+v", body, c)
			}
		}
		if year := api.Started.Year(); year < 1970 || year > 9999 {
			if !api.Started.IsZero() {
				t.Errorf("%q has started at %s", body, api.Started)
			}
		}
	})
}

// wantPossible fails where a number is one that no program can have counted.
func wantPossible(t *testing.T, body string, m ControllerMetrics) {
	t.Helper()
	var counts []int
	var times []time.Duration
	for _, q := range m.Queues {
		counts = append(counts, q.Depth, q.Adds, q.Retries, q.Done)
		times = append(times, q.LongestRunning, q.UnfinishedWork, q.WorkTime)
	}
	for _, i := range m.Informers {
		counts, times = append(counts, i.Queued, i.Processed), append(times, i.ProcessingTime)
		if i.StoreVersion > math.MaxInt64 {
			t.Errorf("%q has the version %d", body, i.StoreVersion)
		}
	}
	for _, r := range m.Reconciles {
		counts = append(counts, r.Total, r.Failed)
	}
	for _, n := range append(counts, m.CollectorSyncErrors) {
		if n < 0 {
			t.Errorf("%q has counted %d", body, n)
		}
	}
	for _, d := range times {
		if d < 0 || d > maxDuration {
			t.Errorf("%q has taken %s", body, d)
		}
	}
}

// FuzzSample holds that a label and a value are read as they are written, whatever stands in other labels.
func FuzzSample(f *testing.F) {
	f.Add("a } \" , name=\"b", "widget", 3.5)
	f.Add("\\", "\n", math.Inf(1))
	f.Fuzz(func(t *testing.T, other, name string, value float64) {
		quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
		text := fmt.Sprintf(`{other="%s", name="%s",} %g 1395066363000`, quote.Replace(other), quote.Replace(name), value)
		s, err := parseSample(text)
		if err != nil || s.label("name") != quote.Replace(name) || s.label("other") != quote.Replace(other) || s.label("none") != "" {
			t.Errorf("%s is read as %+v, with the name %q: %v", text, s, s.label("name"), err)
		}
		if s.value != value && !math.IsNaN(value) {
			t.Errorf("%s has the value %g", text, s.value)
		}
	})
}

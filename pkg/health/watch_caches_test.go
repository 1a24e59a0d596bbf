package health

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	now     = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	pods    = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true}
	widgets = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true, Listable: true}
)

// newRecordedChecker is an examination of what was recorded.
func newRecordedChecker(t *testing.T, answers ...recording.Answer) *checker {
	t.Helper()
	types := []stuck.Type{pods, widgets}
	source := (&recording.Recording{Time: now, Version: "v1.37.1", Answers: answers}).Source(types)
	return &checker{Options: Options{Types: types}, view: cluster.NewView(t.Context(), source, types, nil)}
}

// singleServer is what is asked to know that there is one API server, which serves
// one version of the core group.
func singleServer(addresses ...any) []recording.Answer {
	slice := map[string]any{"metadata": map[string]any{"name": "kubernetes"}, "endpoints": []any{map[string]any{"addresses": addresses}}}
	lease := map[string]any{"spec": map[string]any{"renewTime": now.Format(metav1.RFC3339Micro)}}
	core := map[string]any{"metadata": map[string]any{"name": "v1."}, "spec": map[string]any{"version": "v1"}}
	return []recording.Answer{
		{Question: "list apiservices.apiregistration.k8s.io", Objects: []map[string]any{core}},
		{Question: "list endpointslices.discovery.k8s.io in default with labels kubernetes.io/service-name=kubernetes", Objects: []map[string]any{slice}},
		{Question: "list leases.coordination.k8s.io in kube-system with labels apiserver.kubernetes.io/identity=kube-apiserver", Objects: []map[string]any{lease}},
	}
}

// Counters count from the start of the API server: what is normal for one that
// has run for long is not for a young one.
func TestWatchCaches(t *testing.T) {
	const day = 24 * time.Hour
	tests := map[string]struct {
		up    time.Duration
		cache cluster.WatchCache
		of    stuck.Type
		// listed is at which resourceVersion a list was answered.
		listed  string
		servers []any
		// conversions is how many conversions failed.
		conversions int
		want        string
	}{
		"filled once":                        {up: time.Hour, cache: cluster.WatchCache{Initializations: 1}},
		"filled twice":                       {up: time.Hour, cache: cluster.WatchCache{Initializations: 2}},
		"filled again and again":             {up: time.Hour, cache: cluster.WatchCache{Initializations: 5}, want: "again and again"},
		"as often in a week":                 {up: 7 * day, cache: cluster.WatchCache{Initializations: 5}},
		"a CRD was changed":                  {up: time.Hour, cache: cluster.WatchCache{Initializations: 50}, of: widgets},
		"the start is not known":             {cache: cluster.WatchCache{Initializations: 50, TerminatedWatches: 100}},
		"never filled":                       {up: time.Hour, cache: cluster.WatchCache{InitializationErrors: 3}, want: "never initialized"},
		"filled at last":                     {up: time.Hour, cache: cluster.WatchCache{Initializations: 1, InitializationErrors: 3}},
		"a few slow ones":                    {up: time.Hour, cache: cluster.WatchCache{TerminatedWatches: 5}},
		"slow ones":                          {up: time.Hour, cache: cluster.WatchCache{TerminatedWatches: 50}, want: "too slow"},
		"as many in a month":                 {up: 30 * day, cache: cluster.WatchCache{TerminatedWatches: 50}},
		"behind a list":                      {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 99, ConsistentReads: 1}, listed: "100", want: "is behind etcd"},
		"abreast of it":                      {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 100, ConsistentReads: 1}, listed: "100"},
		"a list from storage proves nothing": {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 99}, listed: "100"},
		"so does another API server's":       {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 99, ConsistentReads: 1}, listed: "100", servers: []any{"10.0.0.1", "10.0.0.2"}},
		"a version that was cut off":         {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 99, ConsistentReads: 1}, listed: "1000000000000100"},
		"a version that is no number":        {up: time.Hour, cache: cluster.WatchCache{ResourceVersion: 99, ConsistentReads: 1}, listed: "later"},
		"reads that the cache was too late":  {up: time.Hour, cache: cluster.WatchCache{ConsistentReads: 100, FallbackReads: 20}, want: "is behind etcd"},
		"differs from etcd":                  {up: time.Hour, cache: cluster.WatchCache{InconsistentChecks: 2}, want: "differs from etcd"},
		"differed from etcd":                 {up: time.Hour, cache: cluster.WatchCache{InconsistentChecks: 2, ConsistentChecks: 9}, want: "differed from etcd"},
		"compared, and the same":             {up: time.Hour, cache: cluster.WatchCache{ConsistentChecks: 9}},
		"an object is no object":             {up: time.Hour, cache: cluster.WatchCache{DecodeErrors: 1}, want: "could not be decoded"},
		"a conversion failed":                {up: time.Hour, cache: cluster.WatchCache{DecodeErrors: 1}, of: widgets, conversions: 1},
		"conversions failed":                 {up: time.Hour, cache: cluster.WatchCache{DecodeErrors: 1}, of: widgets, conversions: 3},
		"another error than a conversion":    {up: time.Hour, cache: cluster.WatchCache{DecodeErrors: 57}, of: widgets, conversions: 1, want: "could not be decoded"},
		"sharded watches":                    {up: time.Hour, cache: cluster.WatchCache{ShardedWatches: 4}},
		"a cache without counters":           {up: time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			of := pods
			if test.of.Kind != "" {
				of = test.of
			}
			c := newRecordedChecker(t, singleServer(test.servers...)...)
			if test.listed != "" {
				c.lists = []listResult{{Type: of, First: &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: test.listed}}}}
			}
			m := cluster.Metrics{WatchCaches: map[schema.GroupResource]cluster.WatchCache{of.GVR().GroupResource(): test.cache}}
			if test.up > 0 {
				m.Started = now.Add(-test.up)
			}
			if test.conversions > 0 {
				m.ConversionFailures = map[string]int{of.String(): test.conversions}
			}
			got := c.watchCacheProblems(m)
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("there is a problem: %+v", got)
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, test.want)):
				t.Errorf("it is not said that it is %q: %+v", test.want, got)
			}
			if gaps := c.view.AllGaps(); len(gaps) > 0 {
				t.Errorf("there are gaps: %v", gaps)
			}
		})
	}
}

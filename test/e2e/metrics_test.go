package e2e

import (
	"net/url"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestMetricsThatAreAskedFor compares the metrics that the API server sends when the plugin asks for them by name with all that it
// has: none that is asked for may be missing, and since Kubernetes 1.37 no other is sent.
func TestMetricsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	s := newRemoval(t, p, "metrics", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	asked := sets.New[string]()
	for _, request := range requestsOf(t, p, "explain", s.crate("a"), "-n", s.namespace) {
		u, err := url.Parse(request.URI)
		if err != nil {
			t.Fatal(err)
		}
		if u.Path == "/metrics" {
			asked.Insert(u.Query()["name[]"]...)
		}
	}
	if len(asked) == 0 {
		t.Fatal("explain asks for no metrics by name")
	}
	all := metricsOf(t, p, "/metrics")
	got := metricsOf(t, p, "/metrics?"+url.Values{"name[]": sets.List(asked)}.Encode())
	if missing := all.Intersection(asked).Difference(got); len(missing) > 0 {
		t.Errorf("not sent, although asked for: %q", sets.List(missing))
	}
	filters := version.MustParseGeneric(plane.Version()).AtLeast(version.MustParseGeneric("v1.37.0"))
	if others := got.Difference(asked); filters == (len(others) > 0) {
		t.Errorf("sent, although not asked for: %q", sets.List(others))
	}
	if !all.HasAll("apiserver_longrunning_requests", "process_start_time_seconds") || !got.Has("apiserver_longrunning_requests") {
		t.Errorf("the API server has %q", sets.List(all))
	}
}

// metricsOf are the names of the metrics that the API server sends: its histograms by their own, without those of their samples.
func metricsOf(t *testing.T, p *plane.Plane, path string) sets.Set[string] {
	t.Helper()
	out, errOut, code := kubectl(t, p, plane.Admin, "get", "--raw", path)
	if code != 0 {
		t.Fatal(errOut)
	}
	names := sets.New[string]()
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) == 4 && words[0] == "#" && words[1] == "TYPE" {
			names.Insert(words[2])
		}
	}
	return names
}

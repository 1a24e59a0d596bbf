package cluster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	aggregatedCore = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
		{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["get","list"],"shortNames":["po"]},
		{"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["list"]},
		{"resource":"bindings","responseKind":{"group":"","version":"v1","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]}]}]}]}`

	// A group that prefers v2, whose server has answered for v1 alone, and a
	// resource of which no kind is known.
	aggregatedGroups = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"example.com"},"versions":[
		{"version":"v2","freshness":"Stale","resources":[
			{"resource":"widgets","responseKind":{"group":"example.com","version":"v2","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":["list"]}]},
		{"version":"v1","freshness":"Current","resources":[
			{"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":["list"]},
			{"resource":"gadgets","responseKind":{"group":"example.com","version":"v1","kind":"Gadget"},"scope":"Namespaced","singularResource":"gadget","verbs":["list"]},
			{"resource":"shapeless","scope":"Namespaced","verbs":["list"]}]}]}]}`

	groupList = `{"kind":"APIGroupList","apiVersion":"v1","groups":[
		{"name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}},
		{"name":"metrics.example.com","versions":[{"groupVersion":"metrics.example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"metrics.example.com/v1beta1","version":"v1beta1"}}]}`
)

// unaggregatedDiscovery is how a server says its types that does not know of aggregated
// discovery.
func unaggregatedDiscovery() fakeResponses {
	return fakeResponses{
		"/api":    respond(`{"kind":"APIVersions","versions":["v1"]}`),
		"/apis":   respond(groupList),
		"/api/v1": respond(`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list"],"shortNames":["po"]}]}`),
		"/apis/example.com/v1": respond(`{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[
			{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["list"]},
			{"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget","verbs":["get"]}]}`),
		"/apis/metrics.example.com/v1beta1": respondStatus(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable),
	}
}

func withResponse(s fakeResponses, path string, handler http.HandlerFunc) fakeResponses {
	s[path] = handler
	return s
}

func TestTypes(t *testing.T) {
	corePod := pod
	corePod.SingularName, corePod.ShortNames = "pod", []string{"po"}
	stale := widget
	stale.Version, stale.Stale = "v2", true
	tests := map[string]struct {
		script fakeResponses
		types  []stuck.Type
		gaps   []stuck.Gap
	}{
		"a stale group's types are kept, marked, and the gap told": {
			script: fakeResponses{"/api": respond(aggregatedCore), "/apis": respond(aggregatedGroups)},
			types: []stuck.Type{
				corePod,
				{Version: "v1", Resource: "nodes", Kind: "Node", SingularName: "node", Listable: true},
				{Version: "v1", Resource: "bindings", Kind: "Binding", SingularName: "binding", Namespaced: true},
				stale, gadget,
			},
			gaps: []stuck.Gap{cluster.StaleDiscoveryGap("example.com", "v2")},
		},
		"without it the core types may be missing, in words of many lines": {
			script: withResponse(unaggregatedDiscovery(), "/api/v1", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte("out of\nmemory"))
			}),
			types: []stuck.Type{widget},
			gaps: []stuck.Gap{
				{Source: "/api/v1", Error: `an error on the server ("out of\nmemory") has prevented the request from succeeding`},
				{Source: "/apis/metrics.example.com/v1beta1", Error: "service unavailable"},
			},
		},
		"a server that knows no aggregated discovery is asked group by group, and a group that fails is a gap": {
			script: unaggregatedDiscovery(),
			types:  []stuck.Type{corePod, widget},
			gaps:   []stuck.Gap{{Source: "/apis/metrics.example.com/v1beta1", Error: "service unavailable"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			types, gaps, err := startFake(t, test.script).server.Types(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// Those that hold no objects, subresources among them, are of no matter.
			if diff := cmp.Diff(test.types, withoutSubresources(types)); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.gaps, gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
		})
	}
}

func withoutSubresources(all []stuck.Type) []stuck.Type {
	var out []stuck.Type
	for _, t := range all {
		if !strings.Contains(t.Resource, "/") {
			out = append(out, t)
		}
	}
	return out
}

func TestTypesThatCannotBeRead(t *testing.T) {
	tests := map[string]struct {
		script fakeResponses
		want   string
	}{
		"forbidden":             {script: fakeResponses{}, want: "forbidden"},
		"not JSON":              {script: fakeResponses{"/api": respond(`<html>log in</html>`)}, want: "reading the discovery document at /api"},
		"JSON of another shape": {script: fakeResponses{"/api": respond(`["v1"]`)}, want: "reading the discovery document at /api"},
		"groups, cut in half": {
			script: fakeResponses{"/api": respond(aggregatedCore), "/apis": respond(aggregatedGroups[:300])},
			want:   "reading the discovery document at /apis",
		},
		"groups of before, cut in half": {
			script: fakeResponses{"/api": respond(`{"kind":"APIVersions","versions":["v1"]}`), "/apis": respond(groupList[:90])},
			want:   "discovering the types of the server",
		},
		"groups that the server fails at": {
			script: fakeResponses{"/api": respond(aggregatedCore), "/apis": respondStatus(http.StatusInternalServerError, metav1.StatusReasonInternalError)},
			want:   "internal server error",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			types, _, err := startFake(t, test.script).server.Types(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, not one of %q; %d types", err, test.want, len(types))
			}
		})
	}
}

// The types of a stale group are tried, for what an API server marks as stale
// may still answer.
func TestStaleTypesAreTried(t *testing.T) {
	fake := startFake(t, fakeResponses{
		"/api": respond(aggregatedCore), "/apis": respond(aggregatedGroups),
		"/apis/example.com/v2/namespaces/shop/widgets": respondList(object("shop", "w1")),
		"/apis/example.com/v1/namespaces/shop/gadgets": respondList(),
		"/api/v1/namespaces/shop/pods":                 respondList(),
	})
	types, gaps, err := fake.server.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := fake.view(t, gaps, types...)
	content := view.NamespaceContent("shop")
	if diff := cmp.Diff([]string{"w1"}, names(content.Deleting)); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
	if content.Complete {
		t.Error("the content is said to be complete though a group was not discovered")
	}
	if diff := cmp.Diff(gaps, view.Gaps()); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

package live_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	aggregatedCore = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
		{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["delete","get","list"],"shortNames":["po"]},
		{"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["list"]},
		{"resource":"bindings","responseKind":{"group":"","version":"v1","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]}]}]}]}`

	// A group that prefers v2, whose server has answered for v1 alone, and a
	// resource of which no kind is known.
	aggregatedGroups = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"example.com"},"versions":[
		{"version":"v2","freshness":"Stale","resources":[
			{"resource":"widgets","responseKind":{"group":"example.com","version":"v2","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":["delete","list"]}]},
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
func unaggregatedDiscovery() fakeapi.Responses {
	return fakeapi.Responses{
		"/api":    fakeapi.Respond(`{"kind":"APIVersions","versions":["v1"]}`),
		"/apis":   fakeapi.Respond(groupList),
		"/api/v1": fakeapi.Respond(`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["delete","get","list"],"shortNames":["po"]}]}`),
		"/apis/example.com/v1": fakeapi.Respond(`{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[
			{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["list"]},
			{"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget","verbs":["get"]}]}`),
		"/apis/metrics.example.com/v1beta1": fakeapi.RespondStatus(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable),
	}
}

func withResponse(s fakeapi.Responses, path string, handler http.HandlerFunc) fakeapi.Responses {
	s[path] = handler
	return s
}

func TestTypes(t *testing.T) {
	corePod := fakeapi.Pod
	corePod.SingularName, corePod.ShortNames = "pod", []string{"po"}
	stale := fakeapi.Widget
	stale.Version, stale.Stale = "v2", true
	undeletableGadget, undeletableWidget := fakeapi.Gadget, fakeapi.Widget
	undeletableGadget.Undeletable, undeletableWidget.Undeletable = true, true
	tests := map[string]struct {
		script fakeapi.Responses
		types  []stuck.Type
		gaps   []stuck.Gap
	}{
		"a stale group's types are kept, marked, and the gap told": {
			script: fakeapi.Responses{"/api": fakeapi.Respond(aggregatedCore), "/apis": fakeapi.Respond(aggregatedGroups)},
			types: []stuck.Type{
				corePod,
				{Version: "v1", Resource: "nodes", Kind: "Node", SingularName: "node", Listable: true},
				{Version: "v1", Resource: "bindings", Kind: "Binding", SingularName: "binding", Namespaced: true},
				stale, undeletableGadget,
			},
			gaps: []stuck.Gap{cluster.StaleDiscoveryGap("example.com", "v2")},
		},
		"without it the core types may be missing, in words of many lines": {
			script: withResponse(unaggregatedDiscovery(), "/api/v1", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte("out of\nmemory"))
			}),
			types: []stuck.Type{undeletableWidget},
			gaps: []stuck.Gap{
				cluster.DiscoveryGap(schema.GroupVersion{Version: "v1"}, `an error on the server ("out of\nmemory") has prevented the request from succeeding`),
				cluster.DiscoveryGap(schema.GroupVersion{Group: "metrics.example.com", Version: "v1beta1"}, "service unavailable"),
			},
		},
		"a server that knows no aggregated discovery is asked group by group, and a group that fails is a gap": {
			script: unaggregatedDiscovery(),
			types:  []stuck.Type{corePod, undeletableWidget},
			gaps:   []stuck.Gap{cluster.DiscoveryGap(schema.GroupVersion{Group: "metrics.example.com", Version: "v1beta1"}, "service unavailable")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			types, gaps, err := fakeapi.Start(t, test.script).Server.Types(t.Context())
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
		script fakeapi.Responses
		want   string
	}{
		"forbidden":             {script: fakeapi.Responses{}, want: "forbidden"},
		"not JSON":              {script: fakeapi.Responses{"/api": fakeapi.Respond(`<html>log in</html>`)}, want: "reading the discovery document at /api"},
		"JSON of another shape": {script: fakeapi.Responses{"/api": fakeapi.Respond(`["v1"]`)}, want: "reading the discovery document at /api"},
		"groups, cut in half": {
			script: fakeapi.Responses{"/api": fakeapi.Respond(aggregatedCore), "/apis": fakeapi.Respond(aggregatedGroups[:300])},
			want:   "reading the discovery document at /apis",
		},
		"groups of before, cut in half": {
			script: fakeapi.Responses{"/api": fakeapi.Respond(`{"kind":"APIVersions","versions":["v1"]}`), "/apis": fakeapi.Respond(groupList[:90])},
			want:   "discovering the types of the server",
		},
		"groups that the server fails at": {
			script: fakeapi.Responses{"/api": fakeapi.Respond(aggregatedCore), "/apis": fakeapi.RespondStatus(http.StatusInternalServerError, metav1.StatusReasonInternalError)},
			want:   "internal server error",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			types, _, err := fakeapi.Start(t, test.script).Server.Types(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, not one of %q; %d types", err, test.want, len(types))
			}
		})
	}
}

// The types of a stale group are tried, for what an API server marks as stale
// may still answer.
func TestStaleTypesAreTried(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/api": fakeapi.Respond(aggregatedCore), "/apis": fakeapi.Respond(aggregatedGroups),
		"/apis/example.com/v2/namespaces/shop/widgets": fakeapi.RespondList(fakeapi.Object("shop", "w1")),
		"/apis/example.com/v1/namespaces/shop/gadgets": fakeapi.RespondList(),
		"/api/v1/namespaces/shop/pods":                 fakeapi.RespondList(),
	})
	types, gaps, err := fake.Server.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := fake.View(t, gaps, types...)
	content := view.NamespaceContent("shop")
	if diff := cmp.Diff([]string{"w1"}, fakeapi.Names(content.Deleting)); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
	if content.Complete {
		t.Error("the content is said to be complete though a group was not discovered")
	}
	if diff := cmp.Diff(gaps, view.Gaps()); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

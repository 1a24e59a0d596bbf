package cluster_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The only write is a dry run, names the object by its uid, and removes only the
// finalizers that were read.
func TestProbeIsADryRunOfTheRemoval(t *testing.T) {
	o := stuck.Object{
		Type: stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}, Namespace: "shop", Name: "web", UID: "1",
		DeletionTime: time.Unix(1, 0), Finalizers: []string{"example.com/a", "example.com/b"},
	}
	var method, query, body string
	s := fakeapi.Start(t, fakeapi.Responses{"/api/v1/namespaces/shop/pods/web": func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		method, query, body = r.Method, r.URL.RawQuery, string(sent)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"web"}}`)
	}})
	if err := s.Server.Probe(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := `[{"op":"test","path":"/metadata/uid","value":"1"},` +
		`{"op":"test","path":"/metadata/finalizers/1","value":"example.com/b"},{"op":"remove","path":"/metadata/finalizers/1"},` +
		`{"op":"test","path":"/metadata/finalizers/0","value":"example.com/a"},{"op":"remove","path":"/metadata/finalizers/0"}]`
	if diff := cmp.Diff([]string{"PATCH", "dryRun=All", want}, []string{method, query, body}); diff != "" {
		t.Errorf("(-want +sent):\n%s", diff)
	}
}

// stuckPods are similar Pods.
func stuckPods(names ...string) (out []stuck.Object) {
	for _, name := range names {
		out = append(out, stuck.Object{
			Type: stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}, Namespace: "shop", Name: name, UID: types.UID(name),
			DeletionTime: time.Unix(1, 0), Finalizers: []string{"example.com/a"},
		})
	}
	return out
}

// probedNames are the objects that were tried when a view was asked about all of them.
func probedNames(t *testing.T, objects []stuck.Object, options ...cluster.Option) (probed []string) {
	t.Helper()
	responses := fakeapi.Responses{reviewsPath: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","status":{"allowed":true}}`)
	}}
	s := fakeapi.Start(t, responses)
	view := cluster.NewView(t.Context(), s.Server, nil, nil, options...).ForObjects(objects)
	for _, o := range objects {
		view.Probe(o)
	}
	for _, r := range s.Received {
		if r.Method == http.MethodPatch {
			probed = append(probed, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
	}
	return probed
}

const reviewsPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

func TestProbesAreNotRepeatedForWhatIsAlike(t *testing.T) {
	if diff := cmp.Diff([]string{"a"}, probedNames(t, stuckPods("a", "b", "c", "d", "e", "f", "g"))); diff != "" {
		t.Errorf("of many (-want +tried):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, probedNames(t, stuckPods("a", "b"))); diff != "" {
		t.Errorf("of a few (-want +tried):\n%s", diff)
	}
}

func TestWhatIsNotProbed(t *testing.T) {
	unprobed := stuckPods("not-deleting", "namespace-missing", "no-finalizers", "no-uid")
	unprobed[0].DeletionTime, unprobed[1].NamespaceMissing, unprobed[2].Finalizers = time.Time{}, true, nil
	unprobed[3].UID = ""
	if tried := probedNames(t, unprobed); len(tried) > 0 {
		t.Errorf("tried: %v", tried)
	}
	if tried := probedNames(t, stuckPods("a"), cluster.WithoutProbes("disabled")); len(tried) > 0 {
		t.Errorf("with probes turned off: %v", tried)
	}
	// Nobody has said that the API server itself serves the type: whoever does
	// may not know what a dry run is.
	foreign := stuckPods("a")
	foreign[0].Type.Group = "foreign.example.com"
	if tried := probedNames(t, foreign); len(tried) > 0 {
		t.Errorf("of a type that may be served elsewhere: %v", tried)
	}
}

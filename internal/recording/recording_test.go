package recording_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	pods  = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true}
	nodes = stuck.Type{Version: "v1", Resource: "nodes", Kind: "Node", Listable: true}
	shop  = cluster.Selection{Namespace: "shop"}
)

// exampleSource is what an API server answered once.
func exampleSource() *recording.Source {
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "shop", "name": "web", "uid": "1"}}
	gone := &metav1.Status{Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound, Message: "not found"}
	return (&recording.Recording{
		Time: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), Version: "v1.37.1", Scanned: []string{"shop"},
		Answers: []recording.Answer{
			{Question: "scan pods in shop", Objects: []map[string]any{pod}},
			{Question: "list pods in shop", Objects: []map[string]any{pod}},
			{Question: "get pods/web in shop", Objects: []map[string]any{pod}},
			{Question: "metadata of pods/web in shop", Objects: []map[string]any{pod}},
			{Question: "get nodes/a", Error: gone},
			{Question: "get nodes/b", Failure: "connection refused"},
			{Question: "may patch pods in shop", Objects: []map[string]any{{"allowed": true}}},
			{Question: "may patch pods/web in shop", Objects: []map[string]any{{"allowed": false}}},
			{Question: "probe pods/web in shop"},
			{Question: "probe nodes/a", Error: gone},
		},
	}).Source([]stuck.Type{pods, nodes, jobs})
}

// askAll puts every kind of question and says what came back.
func askAll(t *testing.T, source cluster.Source) []string {
	t.Helper()
	var said []string
	say := func(answer string, err error) {
		switch {
		case apierrors.IsNotFound(err):
			answer = "not found"
		case err != nil:
			answer = err.Error()
		}
		said = append(said, answer)
	}
	say(source.Now().Format(time.RFC3339), nil)
	version, err := source.Version(t.Context())
	say(version, err)
	seen := ""
	say("", source.Scan(t.Context(), pods, shop, func(o stuck.Object) { seen += o.Name }))
	say(seen, nil)
	say("no jobs", source.Scan(t.Context(), jobs, shop, func(stuck.Object) { t.Error("there is a job") }))
	say("", source.List(t.Context(), pods, shop, func(u unstructured.Unstructured) { seen += u.GetName() }))
	say(seen, nil)
	u, err := source.Get(t.Context(), pods, "shop", "web")
	say(string(u.GetUID()), err)
	m, err := source.Metadata(t.Context(), pods, "shop", "web")
	say(string(m.UID), err)
	_, err = source.Get(t.Context(), nodes, "", "a")
	say("a", err)
	_, err = source.Get(t.Context(), nodes, "", "b")
	say("b", err)
	for _, name := range []string{"", "web"} {
		may, err := source.MayPatch(t.Context(), pods, "shop", name)
		say(fmt.Sprint(may), err)
	}
	say("accepted", source.Probe(t.Context(), stuck.Object{Type: pods, Namespace: "shop", Name: "web"}))
	say("accepted", source.Probe(t.Context(), stuck.Object{Type: nodes, Name: "a"}))
	return said
}

// What was recorded answers as its original did, also after it was written
// down.
func TestRecordingAnswersAsTheOriginal(t *testing.T) {
	want := []string{"2026-03-01T03:00:00Z", "v1.37.1", "", "web", "no jobs", "", "webweb", "1", "1", "not found", "connection refused", "true", "false", "accepted", "not found"}
	if diff := cmp.Diff(want, askAll(t, exampleSource())); diff != "" {
		t.Errorf("the original (-want +got):\n%s", diff)
	}
	recorder := recording.NewRecorder(exampleSource(), nil)
	if diff := cmp.Diff(want, askAll(t, recorder)); diff != "" {
		t.Errorf("while it is recorded (-want +got):\n%s", diff)
	}
	dir := t.TempDir()
	if err := recorder.Recording().Save(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, askAll(t, loaded.Source([]stuck.Type{pods, nodes, jobs}))); diff != "" {
		t.Errorf("from the folder (-want +got):\n%s", diff)
	}
}

func TestHiddenQuestionsAreRefused(t *testing.T) {
	source := exampleSource()
	source.Hide = func(string) bool { return true }
	_, err := source.Get(t.Context(), pods, "shop", "web")
	if !apierrors.IsForbidden(err) {
		t.Errorf("a get: %v", err)
	}
	// A type that had no objects is hidden like any other.
	if err := source.Scan(t.Context(), jobs, shop, func(stuck.Object) {}); !apierrors.IsForbidden(err) {
		t.Errorf("a scan: %v", err)
	}
	// So is what other answers imply.
	if _, err := source.Get(t.Context(), pods, "shop", "db"); !apierrors.IsForbidden(err) {
		t.Errorf("a get of an absent object: %v", err)
	}
	if _, err := source.Version(t.Context()); !apierrors.IsForbidden(err) {
		t.Errorf("the version: %v", err)
	}
}

package recording_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
)

// A renamed cluster is the same cluster with other names: wherever one stands, but not in labels, and not that of a type.
func TestRenamed(t *testing.T) {
	forbidden := &metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden, Message: `pods "web" is forbidden`, Details: &metav1.StatusDetails{Name: "web"}}
	source := (&recording.Recording{Scanned: []string{"shop"}, Answers: []recording.Answer{
		{Question: "get pods/web in shop", Objects: []map[string]any{{
			"kind": "Pod",
			"metadata": map[string]any{
				"name": "web", "namespace": "shop", "labels": map[string]any{"app": "web"}, "finalizers": []any{"example.com/hold"},
				"managedFields": []any{map[string]any{"fieldsV1": map[string]any{`v:"example.com/hold"`: map[string]any{}}}},
			},
			"spec":   map[string]any{"nodeName": "a", "path": "pods/web"},
			"status": map[string]any{"message": "web waits for a website"},
		}}},
		{Question: "get nodes/a", Error: forbidden},
	}}).Source(nil)
	prime := func(name string) string { return name + "'" }
	other, _ := source.Renamed(recording.Renaming{Name: prime, Text: "!"})
	pod, err := other.Get(t.Context(), pods, "shop", "web'")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"kind": "Pod",
		"metadata": map[string]any{
			"name": "web'", "namespace": "shop", "labels": map[string]any{"app": "web"}, "finalizers": []any{"example.com/hold'"},
			"managedFields": []any{map[string]any{"fieldsV1": map[string]any{`v:"example.com/hold'"`: map[string]any{}}}},
		},
		"spec":   map[string]any{"nodeName": "a'", "path": "pods/web'"},
		"status": map[string]any{"message": "web' waits for a' website!"},
	}
	if diff := cmp.Diff(want, pod.Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := other.Get(t.Context(), nodes, "", "a'"); !apierrors.IsForbidden(err) || err.Error() != `pods "web'" is forbidden` {
		t.Errorf("the error is %v", err)
	}
	if _, names := source.Renamed(recording.Renaming{Name: prime, Namespaces: true}); names["shop"] != "shop'" {
		t.Errorf("the names are %q", names)
	}
	if _, names := source.Renamed(recording.Renaming{Name: prime, Only: "a"}); len(names) != 2 || names["a"] != "a'" || names["example.com/hold"] != "example.com/hold'" {
		t.Errorf("the names are %q", names)
	}
}

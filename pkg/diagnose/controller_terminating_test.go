package diagnose_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestControllerInTheDyingNamespace requires that a controller counts as running
// while it has a Pod, healthy or not: it may still finish.
func TestControllerInTheDyingNamespace(t *testing.T) {
	pod := map[string]any{
		"metadata": map[string]any{"name": "operator-1", "namespace": "shop"},
		"status":   map[string]any{"phase": "Running"},
	}
	for name, test := range map[string]struct {
		pods []map[string]any
		lost bool
	}{
		"it has a pod, which is not ready": {[]map[string]any{pod}, false},
		"it has no pods any more":          {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			ns := map[string]any{"metadata": map[string]any{"name": "shop", "deletionTimestamp": "2026-03-01T02:00:00Z"}}
			answers := []recording.Answer{
				{Question: "metadata of widgets.example.com/w1 in shop", Objects: []map[string]any{{"metadata": map[string]any{"uid": "w1"}}}},
				{Question: "get namespaces/shop", Objects: []map[string]any{ns}},
				{Question: "list pods in shop with labels app=w", Objects: test.pods},
				{Question: "watches"},
			}
			now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
			view := cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: answers}).Source(nil), []stuck.Type{widget}, nil)
			operator := cluster.Workload{
				Type:      stuck.Type{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true},
				Namespace: "shop", Name: "operator", Desired: 1, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "w"}},
			}
			w := controller.Controller{
				Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/cleanup"}},
				Finalizer: "example.com/cleanup", Complete: true, Candidates: []controller.Candidate{{Workload: operator}},
			}
			if lost := len(cause.ControllerDeletedWithNamespace.ByController(view, w)) > 0; lost != test.lost {
				t.Errorf("given up: %t, want %t", lost, test.lost)
			}
		})
	}
}

// The watches of one of several API servers do not prove that no controller watches: a controller that was deleted
// with its namespace may have a second instance elsewhere.
func TestDeletedWithNamespaceIsInDoubt(t *testing.T) {
	for name, test := range map[string]struct {
		servers int
		doubt   bool
	}{
		"one API server":      {servers: 1},
		"several API servers": {servers: 2, doubt: true},
	} {
		view := watchState{open: 1, baseline: 1, servers: test.servers, namespaceDeleting: true}.view(t)
		dead := cluster.Workload{Type: cluster.DaemonSetType, Namespace: "shop", Name: "operator", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "operator"}}}
		found := cause.ControllerDeletedWithNamespace.ByController(view, controller.Controller{
			Object: stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"}, Finalizer: "example.com/cleanup",
			Candidates: []controller.Candidate{{Workload: dead, Clues: []string{"it is"}}}, Complete: true,
		})
		if len(found) != 1 || (found[0].Doubt != "") != test.doubt {
			t.Errorf("%s: %+v, gaps %v", name, found, view.Gaps())
		}
	}
}

package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The kubelet and the agents on a node write its status for as long as it exists: that is no sign that the controller of a
// finalizer is at work. What the controller itself writes is.
func TestNodeStatusIsNotTheControllersWork(t *testing.T) {
	node := stuck.Type{Version: "v1", Kind: "Node", Resource: "nodes"}
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	for manager, want := range map[string]struct{ progressing, wrote bool }{
		"kubelet":               {false, false},
		"k3s":                   {false, false},
		"node-problem-detector": {false, true},
		"node-operator":         {true, true},
	} {
		metadata := map[string]any{"name": "n1", "uid": "1", "managedFields": []any{map[string]any{
			"manager": manager, "operation": "Update", "subresource": "status", "time": now.Format(time.RFC3339),
			"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:status": map[string]any{}},
		}}}
		view := cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: []recording.Answer{
			{Question: "list events in default where involvedObject.uid=1"},
			{Question: "metadata of nodes/n1", Objects: []map[string]any{{"metadata": metadata}}},
		}}).Source(nil), []stuck.Type{node}, nil)
		w := controller.Controller{
			Object:    stuck.Object{Type: node, Name: "n1", UID: "1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/clean"}},
			Finalizer: "example.com/clean", Complete: true,
			Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "node-operator", Ready: 1, Desired: 1}}},
		}
		progressing, wrote := len(cause.ControllerProgressing.ByController(view, w)) > 0, controller.HasWrittenSinceDeletion(view, w)
		if progressing != want.progressing || wrote != want.wrote {
			t.Errorf("%s wrote the status: progressing %t, want %t; counts as written %t, want %t (%v)", manager, progressing, want.progressing, wrote, want.wrote, view.Gaps())
		}
	}
}

// What writes the time into the status in every round achieves nothing by that: after an hour the object may need a look.
func TestHeartbeatIsNoProgressForEver(t *testing.T) {
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	object := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": "shop", "name": "w1", "uid": "w1", "managedFields": []any{map[string]any{
			"manager": "cleaner", "operation": "Update", "subresource": "status", "time": now.Add(-20 * time.Second).Format(time.RFC3339),
			"apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:status": map[string]any{}},
		}}},
	}
	for age, want := range map[time.Duration]bool{50 * time.Minute: true, 2 * time.Hour: false, 7 * 24 * time.Hour: false} {
		view := cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: []recording.Answer{
			{Question: "list events in shop where involvedObject.uid=w1"},
			{Question: "metadata of " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
			{Question: "get " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
		}}).Source(nil), []stuck.Type{widget}, nil)
		w := controller.Controller{
			Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1", DeletionTime: now.Add(-age), Finalizers: []string{"example.com/clean"}},
			Finalizer: "example.com/clean", Complete: true,
			Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "cleaner", Ready: 1, Desired: 1}}},
		}
		if got := len(cause.ControllerProgressing.ByController(view, w)) > 0; got != want {
			t.Errorf("after %s: progressing %t", age, got)
		}
		line := "field manager cleaner wrote to the object 20s ago and has not removed the finalizer; whether the cleanup makes progress could not be checked"
		if got := slices.Contains(w.Document(view)[0].Health, line); got == want {
			t.Errorf("after %s: the line is said: %t in %q", age, got, w.Document(view)[0].Health)
		}
	}
}

// Of an object with two finalizers, what the controller of one writes into the status is not about the other.
func TestStatusIsOfWhoSetTheFinalizer(t *testing.T) {
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	entry := func(manager, subresource string, at time.Time, fields map[string]any) map[string]any {
		return map[string]any{
			"manager": manager, "operation": "Update", "subresource": subresource, "time": at.Format(time.RFC3339),
			"apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": fields,
		}
	}
	set := func(finalizer string) map[string]any {
		return map[string]any{"f:metadata": map[string]any{"f:finalizers": map[string]any{`v:"` + finalizer + `"`: map[string]any{}}}}
	}
	metadata := map[string]any{"namespace": "shop", "name": "w1", "uid": "w1", "managedFields": []any{
		entry("cleaner", "", now.Add(-2*time.Hour), set("example.com/clean")),
		entry("billing", "", now.Add(-2*time.Hour), set("example.com/bill")),
		entry("cleaner", "status", now, map[string]any{"f:status": map[string]any{}}),
	}}
	object := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata,
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "DeletionFailed", "message": "no answer"}}},
	}
	for finalizer, manager := range map[string]string{"example.com/clean": "cleaner", "example.com/bill": "billing"} {
		view := cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: []recording.Answer{
			{Question: "list events in shop where involvedObject.uid=w1"},
			{Question: "metadata of " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
			{Question: "get " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
		}}).Source(nil), []stuck.Type{widget}, nil)
		w := controller.Controller{
			Object: stuck.Object{
				Type: widget, Namespace: "shop", Name: "w1", UID: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/clean", "example.com/bill"},
			},
			Finalizer: finalizer, Complete: true, Setters: []cluster.FieldManager{{Name: manager, LastWrite: now.Add(-2 * time.Hour)}},
			Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: manager, Ready: 1, Desired: 1}}},
		}
		if found := len(cause.ControllerRetrying.ByController(view, w)) > 0; found != (manager == "cleaner") {
			t.Errorf("%s is said to retry and fail: %t (%v)", manager, found, view.Gaps())
		}
		if len(cause.ControllerProgressing.ByController(view, w)) > 0 {
			t.Errorf("%s is said to be cleaning up", manager)
		}
	}
}

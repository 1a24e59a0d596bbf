package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// quotingScene is a widget with a controller that runs, and a Warning event in its words.
func quotingScene(t *testing.T, event string, history int, more ...recording.Answer) (*cluster.View, controller.Controller) {
	t.Helper()
	deleted := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	object := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"namespace": "shop", "name": "w1", "uid": "w1"},
		"status": map[string]any{"history": strings.Repeat("x", history)},
	}
	answers := append(slices.Clone(more),
		recording.Answer{Question: "list events in shop where involvedObject.uid=w1", Objects: []map[string]any{{
			"metadata": map[string]any{"namespace": "shop", "name": "e"}, "type": "Warning", "reason": "Failed", "message": event, "lastTimestamp": deleted.Add(time.Second).Format(time.RFC3339),
		}}},
		recording.Answer{Question: "get " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
		recording.Answer{Question: "metadata of " + widget.String() + "/w1 in shop", Objects: []map[string]any{object}},
	)
	view := cluster.NewView(t.Context(), (&recording.Recording{Time: deleted.Add(time.Minute), Answers: answers}).Source(nil), []stuck.Type{widget}, nil)
	return view, controller.Controller{
		Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1", DeletionTime: deleted, Finalizers: []string{"example.com/clean"}},
		Finalizer: "example.com/clean", Complete: true,
		Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "widgets", Ready: 1, Desired: 1}}},
	}
}

// An object near the limit of etcd is told from one whose controller writes something else that is too large.
func TestSizeOfTheObjectDecides(t *testing.T) {
	for history, want := range map[int]string{
		1_500_000: "etcd rejects the writes of deployment/widgets -n ops: the object is too large",
		1_000:     "etcd rejects a write of deployment/widgets -n ops: its request is too large",
	} {
		found := cause.WriteTooLarge.ByController(quotingScene(t, "cannot update status: etcdserver: request is too large", history))
		if len(found) != 1 || found[0].Message != want {
			t.Errorf("with a history of %d bytes: %+v", history, found)
		}
	}
}

// What a status or an event quotes may be old: a webhook that does not exist any more rejects nothing.
func TestAWebhookThatWasDeletedIsNotBlamed(t *testing.T) {
	none := []recording.Answer{
		{Question: "list validatingwebhookconfigurations.admissionregistration.k8s.io"},
		{Question: "list mutatingwebhookconfigurations.admissionregistration.k8s.io"},
	}
	event := `cannot update: admission webhook "check.example.com" denied the request: no`
	if found := cause.ControllerWriteDenied.ByController(quotingScene(t, event, 0, none...)); len(found) > 0 {
		t.Errorf("it was blamed: %+v", found)
	}
	if found := cause.ControllerRetrying.ByController(quotingScene(t, event, 0, none...)); len(found) != 1 || len(found[0].Steps) == 0 {
		t.Errorf("that the controller retries and fails is not said: %+v", found)
	}
}

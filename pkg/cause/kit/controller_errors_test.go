package kit_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	readTime  = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	challenge = stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true}
)

// In a namespace that is being deleted no Event can be created: what goes wrong stands
// in the status of the object alone.
func TestReportedErrorsReadSentencesInTheStatus(t *testing.T) {
	const sentence = `Error cleaning up challenge: error getting cloudflare secret: secrets "cloudflare-token" not found`
	for name, test := range map[string]struct {
		reason  string
		written time.Time
		want    []kit.ReportedError
	}{
		"a failure":                     {sentence, readTime, []kit.ReportedError{{Source: "status.reason", Message: sentence, Text: sentence}}},
		"no failure":                    {"Waiting for DNS-01 challenge propagation", readTime, nil},
		"written before it was deleted": {sentence, readTime.Add(-2 * time.Hour), nil},
	} {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]any{
				"namespace": "shop", "name": "c1", "uid": "1", "managedFields": []any{map[string]any{
					"manager": "cert-manager", "operation": "Update", "subresource": "status", "time": test.written.Format(time.RFC3339),
					"apiVersion": "acme.cert-manager.io/v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:status": map[string]any{}},
				}},
			}
			recorded := &recording.Recording{Time: readTime, Answers: []recording.Answer{
				{Question: "list events in shop where involvedObject.uid=1"},
				{Question: "metadata of challenges.acme.cert-manager.io/c1 in shop", Objects: []map[string]any{{"metadata": metadata}}},
				{Question: "get challenges.acme.cert-manager.io/c1 in shop", Objects: []map[string]any{{
					"apiVersion": "acme.cert-manager.io/v1", "kind": "Challenge", "metadata": metadata, "status": map[string]any{"reason": test.reason},
				}}},
			}}
			view := cluster.NewView(t.Context(), recorded.Source(nil), []stuck.Type{challenge}, nil)
			o := stuck.Object{Type: challenge, Namespace: "shop", Name: "c1", UID: "1", DeletionTime: readTime.Add(-time.Hour)}
			got, all := kit.ReportedErrors(view, controller.Controller{Object: o})
			if diff := cmp.Diff(test.want, got); diff != "" || !all {
				t.Errorf("complete: %t, gaps: %v, errors (-want +got):\n%s", all, view.Gaps(), diff)
			}
		})
	}
}

// Events that differ in a port are one error: it is told once, as it was last written.
func TestReportedErrorsFoldEventsThatDifferInNumbers(t *testing.T) {
	event := func(reason, message string, count int, ago time.Duration) map[string]any {
		return map[string]any{
			"type": "Warning", "reason": reason, "message": message, "count": count, "lastTimestamp": readTime.Add(-ago).Format(time.RFC3339),
			"metadata": map[string]any{"namespace": "shop", "name": message},
		}
	}
	recorded := &recording.Recording{Time: readTime, Answers: []recording.Answer{
		{Question: "list events in shop where involvedObject.uid=1", Objects: []map[string]any{
			event("CleanUpError", "read udp 127.0.0.1:57416: connection refused", 1, time.Minute),
			event("CleanUpError", "(combined from similar events): read udp 127.0.0.1:52653: connection refused", 16, time.Second),
			event("CleanUpError", "read udp 127.0.0.1:41915: connection refused", 1, 2*time.Minute),
			event("Other", "read udp 127.0.0.1:41915: connection refused", 2, time.Minute),
		}},
		{Question: "metadata of challenges.acme.cert-manager.io/c1 in shop"},
		{Question: "get challenges.acme.cert-manager.io/c1 in shop"},
	}}
	view := cluster.NewView(t.Context(), recorded.Source(nil), []stuck.Type{challenge}, nil)
	o := stuck.Object{Type: challenge, Namespace: "shop", Name: "c1", UID: "1", DeletionTime: readTime.Add(-time.Hour)}
	got, _ := kit.ReportedErrors(view, controller.Controller{Object: o})
	want := []kit.ReportedError{
		{Source: "event CleanUpError (18 times)", Message: "read udp 127.0.0.1:52653: connection refused", Text: "read udp 127.0.0.1:52653: connection refused"},
		{Source: "event Other (2 times)", Message: "read udp 127.0.0.1:41915: connection refused", Text: "read udp 127.0.0.1:41915: connection refused"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// A scheduler reports on a pod that is being deleted, and a kubelet on one that stops: their events are not of the controller
// of a finalizer.
func TestReportedErrorsAreNotOfThePodsLifecycle(t *testing.T) {
	event := func(reason, message string, reporter map[string]any) map[string]any {
		e := map[string]any{
			"type": "Warning", "reason": reason, "message": message, "lastTimestamp": readTime.Format(time.RFC3339),
			"metadata": map[string]any{"namespace": "shop", "name": message},
		}
		maps.Copy(e, reporter)
		return e
	}
	pod := stuck.Type{Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true}
	recorded := &recording.Recording{Time: readTime, Answers: []recording.Answer{
		{Question: "list events in shop where involvedObject.uid=1", Objects: []map[string]any{
			event("FailedScheduling", "skip schedule deleting pod: shop/p1", map[string]any{"reportingComponent": "default-scheduler"}),
			event("FailedScheduling", "0/3 nodes are available", map[string]any{"reportingComponent": "batch-scheduler"}),
			event("Unhealthy", "Readiness probe failed", map[string]any{"source": map[string]any{"component": "kubelet"}}),
			event("NodeNotReady", "Node is not ready", map[string]any{"source": map[string]any{"component": "node-controller"}}),
			event("CleanUpError", "no quota", map[string]any{"source": map[string]any{"component": "kueue"}}),
		}},
		{Question: "metadata of pods/p1 in shop"},
		{Question: "get pods/p1 in shop"},
	}}
	view := cluster.NewView(t.Context(), recorded.Source(nil), []stuck.Type{pod}, nil)
	o := stuck.Object{Type: pod, Namespace: "shop", Name: "p1", UID: "1", DeletionTime: readTime.Add(-time.Hour)}
	got, _ := kit.ReportedErrors(view, controller.Controller{Object: o})
	want := []kit.ReportedError{{Source: "event CleanUpError (1 times)", Message: "no quota", Text: "no quota"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// An object that is not ready because it is being deleted has no error, and what Kubernetes writes about a built-in type is
// none of the controller of a finalizer.
func TestReportedErrorsAreFailures(t *testing.T) {
	pod := stuck.Type{Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true}
	condition := func(name, status, reason, message string) map[string]any {
		return map[string]any{"type": name, "status": status, "reason": reason, "message": message}
	}
	for name, test := range map[string]struct {
		of        stuck.Type
		condition map[string]any
		reported  bool
	}{
		"a deletion that goes on":      {challenge, condition("Ready", "False", "Deleting", "the resource is being deleted"), false},
		"nothing that progresses":      {challenge, condition("Progressing", "False", "AsExpected", "all components are up to date"), false},
		"an error in the reason":       {challenge, condition("Synced", "False", "ReconcileError", "connect: no answer"), true},
		"an error in the message":      {challenge, condition("Ready", "False", "Deleting", "the bucket is not empty"), true},
		"an error in one word":         {challenge, condition("Ready", "False", "Deleting", "AccessDenied: user/x may not delete a bucket"), true},
		"an error in the name":         {challenge, condition("DeletionFailed", "True", "Retry", "later"), true},
		"a failover":                   {challenge, condition("FailoverReady", "True", "FailoverConfigured", "two zones"), false},
		"no failover":                  {challenge, condition("Ready", "False", "FailoverStarted", "zone b takes over"), false},
		"containers that have stopped": {pod, condition("Ready", "False", "ContainersNotReady", "containers with unready status: [app]"), false},
		"a pod that failed":            {pod, condition("Ready", "False", "PodFailed", "the container failed"), false},
	} {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]any{
				"namespace": "shop", "name": "c1", "uid": "1", "managedFields": []any{map[string]any{
					"manager": "site-operator", "operation": "Update", "subresource": "status", "time": readTime.Format(time.RFC3339),
					"apiVersion": test.of.GVK().GroupVersion().String(), "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:status": map[string]any{}},
				}},
			}
			recorded := &recording.Recording{Time: readTime, Answers: []recording.Answer{
				{Question: "list events in shop where involvedObject.uid=1"},
				{Question: "metadata of " + test.of.String() + "/c1 in shop", Objects: []map[string]any{{"metadata": metadata}}},
				{Question: "get " + test.of.String() + "/c1 in shop", Objects: []map[string]any{{
					"apiVersion": test.of.GVK().GroupVersion().String(), "kind": test.of.Kind, "metadata": metadata, "status": map[string]any{"conditions": []any{test.condition}},
				}}},
			}}
			view := cluster.NewView(t.Context(), recorded.Source(nil), []stuck.Type{test.of}, nil)
			o := stuck.Object{Type: test.of, Namespace: "shop", Name: "c1", UID: "1", DeletionTime: readTime.Add(-time.Hour)}
			got, all := kit.ReportedErrors(view, controller.Controller{Object: o})
			if (len(got) == 1) != test.reported || !all {
				t.Errorf("complete: %t, gaps: %v, errors: %+v", all, view.Gaps(), got)
			}
		})
	}
}

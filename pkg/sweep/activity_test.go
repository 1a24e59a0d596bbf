package sweep

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// podSource answers with the Pods of a namespace.
type podSource struct {
	cluster.Source
	now  time.Time
	pods []map[string]any
	err  error
}

func (s podSource) Now() time.Time { return s.now }

func (s podSource) List(_ context.Context, _ stuck.Type, _ cluster.Selection, visit func(unstructured.Unstructured)) error {
	for _, pod := range s.pods {
		visit(unstructured.Unstructured{Object: pod})
	}
	return s.err
}

func pod(phase, finished string) map[string]any {
	status := map[string]any{"phase": phase}
	if finished != "" {
		status["containerStatuses"] = []any{map[string]any{"name": "main", "state": map[string]any{"terminated": map[string]any{"finishedAt": finished}}}}
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}, "status": status}
}

// A namespace with a soft TTL is deleted when no Pod has run for so long.
func TestSoftTTL(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	for name, test := range map[string]struct {
		pods   []map[string]any
		active string
		err    error
		age    time.Duration
		want   Action
		unread bool
	}{
		"no Pods":              {age: 3 * time.Hour, want: Delete},
		"no Pods, young":       {age: time.Hour, want: Keep},
		"running":              {pods: []map[string]any{pod("Succeeded", "2026-01-01T00:10:00Z"), pod("Running", "")}, age: 9 * time.Hour, want: Keep},
		"ended":                {pods: []map[string]any{pod("Succeeded", "2026-01-01T05:00:00Z"), pod("Failed", "2026-01-01T06:00:00Z")}, age: 9 * time.Hour, want: Delete},
		"ended lately":         {pods: []map[string]any{pod("Succeeded", "2026-01-01T08:00:00Z")}, age: 9 * time.Hour, want: Keep},
		"ended, marked active": {pods: []map[string]any{pod("Succeeded", "2026-01-01T05:00:00Z")}, active: "2026-01-01T08:00:00Z", age: 9 * time.Hour, want: Keep},
		"marked wrongly":       {pods: []map[string]any{pod("Succeeded", "2026-01-01T05:00:00Z")}, active: "lately", age: 9 * time.Hour, want: Keep},
		"may still run":        {pods: []map[string]any{pod("Succeeded", "2026-01-01T05:00:00Z"), pod("Unknown", "")}, age: 9 * time.Hour, want: Keep},
		"end not known":        {pods: []map[string]any{pod("Unknown", "")}, age: 9 * time.Hour, want: Keep},
		"not readable":         {err: errors.New("forbidden"), age: 9 * time.Hour, want: Keep, unread: true},
	} {
		m := metav1.ObjectMeta{Name: "ci-1", UID: "1", ResourceVersion: "1", CreationTimestamp: metav1.NewTime(created), Annotations: map[string]string{openshiftSoftTTL: "2h"}}
		if test.active != "" {
			m.Annotations[openshiftActive] = test.active
		}
		source := podSource{now: created.Add(test.age), pods: test.pods, err: test.err}
		item, ok := Selector{Annotations: DefaultAnnotations}.Judge(t.Context(), source, namespaces, m)
		if !ok || item.Action != test.want || item.Unread != test.unread {
			t.Errorf("%s: %+v", name, item)
		}
	}
}

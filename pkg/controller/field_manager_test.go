package controller_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestSetBySaysWhoAndWhen(t *testing.T) {
	widget := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	entry := func(manager, finalizer string, more map[string]any) map[string]any {
		out := map[string]any{
			"manager": manager, "operation": "Update",
			"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:finalizers": map[string]any{`v:"` + finalizer + `"`: map[string]any{}}}},
		}
		for key, value := range more {
			out[key] = value
		}
		return out
	}
	source := (&recording.Recording{
		Time: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC),
		Answers: []recording.Answer{{
			Question: "metadata of widgets.example.com/w1 in shop",
			Objects: []map[string]any{{"metadata": map[string]any{
				"namespace": "shop", "name": "w1", "uid": "uid-of-w1",
				"managedFields": []any{
					entry("widget-operator", "example.com/cleanup", map[string]any{"time": "2026-02-28T03:00:00Z"}),
					entry("backup-operator", "example.com/backup", nil),
				},
			}}},
		}},
	}).Source(nil)
	w1 := stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "uid-of-w1"}
	reborn := w1
	reborn.UID = "another"
	tests := map[string]struct {
		object    stuck.Object
		finalizer string
		hide      bool
		want      []string
	}{
		"with the time":                {object: w1, finalizer: "example.com/cleanup", want: []string{"field manager widget-operator set the finalizer (last write 24h ago)"}},
		"without a time":               {object: w1, finalizer: "example.com/backup", want: []string{"field manager backup-operator set the finalizer"}},
		"nobody":                       {object: w1, finalizer: "example.com/other"},
		"of an object that is another": {object: reborn, finalizer: "example.com/cleanup"},
		"when nobody may look":         {object: w1, finalizer: "example.com/cleanup", hide: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			source.Hide = func(string) bool { return test.hide }
			view := cluster.NewView(t.Context(), source, []stuck.Type{widget}, nil)
			if diff := cmp.Diff(test.want, controller.SetByEvidence(view, test.object, test.finalizer)); diff != "" {
				t.Errorf("clues (-want +got):\n%s", diff)
			}
			if got := len(view.Gaps()) == 1; got != test.hide {
				t.Errorf("gaps: %v", view.Gaps())
			}
		})
	}
}

// The controller manager copies the finalizers of a template to its pods: that it set them, under any of its names, points at no
// workload.
func TestControllerManagerIsNobodysName(t *testing.T) {
	for _, manager := range []string{"kube-controller-manager", "k3s", "kubelite"} {
		if !controller.IsGenericManager(manager) {
			t.Errorf("%s is taken for the name of a controller", manager)
		}
	}
}

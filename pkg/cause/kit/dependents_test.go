package kit_test

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A garbage collector that is switched off deletes nothing later: what it has not deleted is left behind.
func TestDependentsCost(t *testing.T) {
	notDeleted := []stuck.Object{{Type: stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}, Namespace: "shop", Name: "settings"}}
	manager := func(flag string) []recording.Answer {
		container := map[string]any{"command": []any{"kube-controller-manager", flag}}
		return []recording.Answer{{
			Question: "list pods in kube-system with labels component=kube-controller-manager",
			Objects:  []map[string]any{{"spec": map[string]any{"containers": []any{container}}}},
		}}
	}
	for name, test := range map[string]struct {
		answers []recording.Answer
		since   time.Duration
		left    []stuck.Object
		want    stuck.Leak
	}{
		"switched off":                     {manager("--controllers=*,-garbagecollector"), time.Hour, notDeleted, stuck.LeakObjects},
		"on":                               {manager("--v=2"), time.Hour, notDeleted, stuck.LeakNothing},
		"not known":                        {nil, time.Hour, notDeleted, stuck.LeakNothing},
		"it has had no time yet":           {manager("--controllers=*,-garbagecollector"), time.Second, notDeleted, stuck.LeakNothing},
		"every dependent is being deleted": {manager("--controllers=*,-garbagecollector"), time.Hour, nil, stuck.LeakNothing},
	} {
		view := cluster.NewView(t.Context(), (&recording.Recording{Time: readTime, Answers: test.answers}).Source(nil), nil, nil)
		owner := stuck.Object{Type: challenge, Namespace: "shop", Name: "c1", DeletionTime: readTime.Add(-test.since)}
		if got := kit.DependentsCost(view, owner, test.left); got.Leaves != test.want || got.Description == "" || len(view.Gaps()) > 0 {
			t.Errorf("%s: %+v, gaps %v", name, got, view.Gaps())
		}
	}
}

package controller_test

import (
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A finalizer that names a node says so when the node is gone, and only then.
func TestFinalizerThatNamesSomething(t *testing.T) {
	const finalizer = "cleanup.vgmanager.node.topolvm.io/worker-1"
	const gone = "the finalizer names node/worker-1, which does not exist"
	group := stuck.Type{Group: "lvm.topolvm.io", Version: "v1alpha1", Resource: "lvmvolumegroups", Kind: "LVMVolumeGroup", Namespaced: true}
	node := stuck.Type{Version: "v1", Resource: "nodes", Kind: "Node"}
	for name, test := range map[string]struct {
		objects string
		types   []stuck.Type
		want    bool
	}{
		"the node is gone":       {"", []stuck.Type{group, node}, true},
		"the node is there":      {"apiVersion: v1\nkind: Node\nmetadata: {name: worker-1}", []stuck.Type{group, node}, false},
		"its type is not served": {"", []stuck.Type{group}, false},
		"another node is there":  {"apiVersion: v1\nkind: Node\nmetadata: {name: worker-2}", []stuck.Type{group, node}, true},
	} {
		t.Run(name, func(t *testing.T) {
			view := cluster.NewView(t.Context(), newFakeSource(t, test.objects), test.types, nil)
			o := stuck.Object{Type: group, Namespace: "storage", Name: "vg1", UID: "uid-of-vg1", DeletionTime: w1.DeletionTime, Finalizers: []string{finalizer}}
			found := controller.Find(view, known(t), o, finalizer)
			if got := slices.Contains(found.Facts, gone); got != test.want {
				t.Errorf("said it is gone: %t, want %t; facts: %q", got, test.want, found.Facts)
			}
		})
	}
}

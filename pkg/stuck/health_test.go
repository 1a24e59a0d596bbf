package stuck_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// An object that two problems block is one object that is blocked.
func TestBlockedObjectsCountOnce(t *testing.T) {
	object := func(namespace, name string) stuck.Object {
		return stuck.Object{Type: stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod"}, Namespace: namespace, Name: name, Finalizers: []string{"example.com/x"}}
	}
	h := stuck.Health{Checks: []stuck.Check{
		{Problems: []stuck.Problem{{Blocks: []stuck.Object{object("a", "1"), object("b", "1")}}}},
		{Problems: []stuck.Problem{{Blocks: []stuck.Object{object("b", "1"), object("b", "2"), object("b", "2")}}}},
	}}
	if n := h.BlockedObjects(); n != 3 {
		t.Errorf("%d objects are blocked, want 3", n)
	}
}

package kit_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A valid owner reference beside a wrong one stays: without it the object would never be garbage-collected.
func TestRemoveOwnerReferences(t *testing.T) {
	report := stuck.Object{
		Type:      stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true},
		Namespace: "reports", Name: "monthly",
		Owners: []stuck.OwnerReference{{UID: "wrong"}, {UID: "valid", Controller: true}, {UID: "wrong", BlockOwnerDeletion: true}, {UID: "it's"}},
	}
	for uid, want := range map[types.UID]string{
		"it's": `kubectl -n reports patch configmaps monthly --type=json -p '[{"op":"test","path":"/metadata/ownerReferences/3/uid","value":"it'\''s"},{"op":"remove","path":"/metadata/ownerReferences/3"}]'`,
		"wrong": `kubectl -n reports patch configmaps monthly --type=json -p '[{"op":"test","path":"/metadata/ownerReferences/2/uid","value":"wrong"},{"op":"remove","path":"/metadata/ownerReferences/2"},` +
			`{"op":"test","path":"/metadata/ownerReferences/0/uid","value":"wrong"},{"op":"remove","path":"/metadata/ownerReferences/0"}]'`,
	} {
		if got := kit.RemoveOwnerReferences(report, func(w stuck.OwnerReference) bool { return w.UID == uid }); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", uid, got, want)
		}
	}
}

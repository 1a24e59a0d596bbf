package stuck_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestReadCommand(t *testing.T) {
	widgets := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	if got, want := stuck.ReadCommand(widgets, "shop", "widgets.example.com", "w"), "kubectl -n shop get widgets.example.com w -o yaml --show-managed-fields"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	secrets := stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	const want = "kubectl -n shop get secrets key -o custom-columns='NAME:.metadata.name,FINALIZERS:.metadata.finalizers,WRITTEN-BY:.metadata.managedFields[*].manager,AT:.metadata.managedFields[*].time'"
	if got := stuck.ReadCommand(secrets, "shop", "secrets", "key"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

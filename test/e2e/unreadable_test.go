package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// unreadableNames are the names of ConfigMaps beside a damaged one: before and behind it, and such as begin like it.
var unreadableNames = []string{"a", "m", "m-1", "m.x-2.y", "m.x-2.yy", "m0", "z"}

// TestUnreadableObjectIsFoundByLists looks for a damaged object that nothing mentions. API servers before 1.37 do not say which it is.
func TestUnreadableObjectIsFoundByLists(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	const damaged = "m.x-2"
	script := "for namespace in attic shelf yard; do\n  kubectl create namespace $namespace\n"
	for _, name := range append(slices.Clone(unreadableNames), damaged) {
		script += "  kubectl -n $namespace create configmap " + name + "\n"
	}
	runSetup(t, p, script+"done\n")
	if err := p.WriteGarbage(t.Context(), "/registry/configmaps/shelf/"+damaged); err != nil {
		t.Fatal(err)
	}
	server := connect(t, p, "")
	types, _, err := server.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]string{"shelf": "shelf/" + damaged, "": "shelf/" + damaged, "attic": ""} {
		view := cluster.NewView(t.Context(), server, types, nil)
		var found []string
		for _, o := range view.UnreadableObjects(cluster.ConfigMapType, namespace) {
			found = append(found, o.Namespace+"/"+o.Name)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("in namespace %q: %q, not %q", namespace, got, want)
		}
	}
}

package diagnose_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The server of an aggregated API stores the objects itself and needs no rights on them: it is not told that it lost any.
func TestServerNeedsNoRights(t *testing.T) {
	var answers []recording.Answer
	for _, question := range []string{
		"list clusterrolebindings.rbac.authorization.k8s.io", "list clusterroles.rbac.authorization.k8s.io",
		"list rolebindings.rbac.authorization.k8s.io in shop", "list roles.rbac.authorization.k8s.io in shop",
	} {
		answers = append(answers, recording.Answer{Question: question})
	}
	for serves, want := range map[bool]int{true: 0, false: 1} {
		view := cluster.NewView(t.Context(), (&recording.Recording{Answers: answers}).Source(nil), []stuck.Type{widget}, nil)
		found := cause.ControllerLostPermissions.ByController(view, controller.Controller{
			Object: stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"}, Complete: true,
			Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "wardle", Name: "server", Ready: 1, Desired: 1}, ServesType: serves}},
		})
		if len(found) != want {
			t.Errorf("what serves the type itself (%t): %v, gaps %v", serves, found, view.Gaps())
		}
	}
}

// An object of the whole cluster is in no namespace: none is asked for, and nothing is said to be unknown of it.
func TestLostPermissionsOnAnObjectOfTheCluster(t *testing.T) {
	answers := []recording.Answer{{Question: "list clusterrolebindings.rbac.authorization.k8s.io"}, {Question: "list clusterroles.rbac.authorization.k8s.io"}}
	view := cluster.NewView(t.Context(), (&recording.Recording{Answers: answers}).Source(nil), []stuck.Type{widget}, nil)
	found := cause.ControllerLostPermissions.ByController(view, controller.Controller{
		Object: stuck.Object{Type: widget, Name: "w1", UID: "w1"}, Complete: true,
		Candidates: []controller.Candidate{{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "shop-system", Name: "server", Ready: 1, Desired: 1}}},
	})
	if len(found) != 1 || len(view.Gaps()) > 0 {
		t.Errorf("found %v, gaps %v", found, view.Gaps())
	}
}

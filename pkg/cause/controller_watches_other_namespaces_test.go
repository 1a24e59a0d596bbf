package cause

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Where the namespaces are not written in the workload, there is nothing in it to add one to.
func TestScopeStep(t *testing.T) {
	c := controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "db"}}
	for source, want := range map[string]stuck.Step{
		"WATCH_NAMESPACE": {
			Action: stuck.ActionChange, Description: "add app to WATCH_NAMESPACE until the controller has finished", Command: "kubectl -n ops edit deployment/db",
		},
		controller.SourceOwnNamespace: {
			Action: stuck.ActionChange, Description: "set WATCH_NAMESPACE to the value ops,app in place of its fieldRef until the controller has finished", Command: "kubectl -n ops edit deployment/db",
		},
		controller.SourceOperatorGroup: {
			Action: stuck.ActionChange, Description: "add app to spec.targetNamespaces of the OperatorGroup until the controller has finished", Command: "kubectl -n ops edit operatorgroups.operators.coreos.com",
		},
	} {
		if got := scopeStep(c, controller.WatchScope{Namespaces: []string{"ops"}, Source: source}, "app"); got != want {
			t.Errorf("%s: %+v", source, got)
		}
	}
	own := controller.WatchScope{Namespaces: []string{"ops"}, Source: "--all", IsOwn: true}
	if got := scopeStep(c, own, "app").Description; got != "change --all, which limits it to its own namespace, so that it works in app too, until the controller has finished" {
		t.Errorf("a switch: %s", got)
	}
	extend := stuck.Step{Action: stuck.ActionCheck, Description: "look for the manager of the namespace"}
	if got := scopeStep(c, controller.WatchScope{Namespaces: []string{"ops"}, Source: "--only", Extend: &extend}, "app"); got != extend {
		t.Errorf("known to the catalog: %+v", got)
	}
}

package kit

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// No step sends the reader to a workload that was looked for and not found.
func TestCatalogStepsCanBeFollowed(t *testing.T) {
	const finalizer = "finalizer.keda.sh"
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	scaled := stuck.Object{Type: stuck.Type{Group: "keda.sh", Version: "v1alpha1", Resource: "scaledobjects", Kind: "ScaledObject", Namespaced: true}, Namespace: "shop", Name: "cart"}
	match := known.Lookup(finalizer, catalog.Subject{Kind: scaled.Type.Kind, Group: scaled.Type.Group, Resource: scaled.Type.Resource})
	logs := stuck.Step{Action: stuck.ActionCheck, Description: "read the logs of keda-operator", Command: "kubectl -n keda logs deployment/keda-operator --since=1h", ReadsLogs: true}
	describe := stuck.Step{Action: stuck.ActionCheck, Description: "read the conditions and events", Command: "kubectl -n shop describe scaledobjects.keda.sh cart"}
	install := stuck.Step{Action: stuck.ActionChange, Description: "install it again"}
	operator := controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "keda", Name: "keda-operator"}}
	other := controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "scaler"}}
	for name, test := range map[string]struct {
		candidates []controller.Candidate
		complete   bool
		want       []stuck.Step
	}{
		"it is gone":                 {nil, true, []stuck.Step{describe}},
		"it is there":                {[]controller.Candidate{operator}, true, []stuck.Step{describe, logs}},
		"another was found":          {[]controller.Candidate{other}, true, []stuck.Step{describe}},
		"not everything was read":    {[]controller.Candidate{other}, false, []stuck.Step{describe, logs}},
		"nothing was, and not found": {nil, false, []stuck.Step{describe}},
	} {
		w := controller.Controller{Object: scaled, Finalizer: finalizer, CatalogMatch: match, Candidates: test.candidates, Complete: test.complete}
		if diff := cmp.Diff(test.want, CatalogSteps(w, install.Description)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A program that asks the server of its project is of no use where nothing of the project was found.
func TestStepsNeedTheirServer(t *testing.T) {
	const finalizer = "resources-finalizer.argocd.argoproj.io"
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	match := known.Lookup(finalizer, catalog.Subject{Kind: "Application", Group: "argoproj.io", Resource: "applications"})
	for want, others := range map[bool][]cluster.Workload{false: nil, true: {{Type: cluster.DeploymentType, Namespace: "argocd", Name: "argocd-server"}}} {
		w := controller.Controller{Finalizer: finalizer, CatalogMatch: match, Complete: true, OtherComponents: others}
		w.Object.Namespace, w.Object.Name = "argocd", "shop"
		got := slices.ContainsFunc(CatalogSteps(w, ""), func(s stuck.Step) bool { return strings.HasPrefix(s.Command, "argocd ") })
		if got != want {
			t.Errorf("with %d workloads of the project, a step with argocd is offered: %t", len(others), got)
		}
	}
}

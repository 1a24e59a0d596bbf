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
	const finalizer = "acme.cert-manager.io/finalizer"
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	challenge := stuck.Object{Type: stuck.Type{Group: "acme.cert-manager.io", Version: "v1", Resource: "challenges", Kind: "Challenge", Namespaced: true}, Namespace: "shop", Name: "cart"}
	match := known.Lookup(finalizer, catalog.Subject{Kind: challenge.Type.Kind, Group: challenge.Type.Group, Resource: challenge.Type.Resource})
	logs := stuck.Step{
		Action: stuck.ActionCheck, Description: "read the logs of cert-manager", ReadsLogs: true,
		Command: "kubectl -n cert-manager logs -l app.kubernetes.io/component=controller,app.kubernetes.io/name=cert-manager --since=1h --tail=-1 --prefix",
	}
	reason := stuck.Step{
		Action:      stuck.ActionCheck,
		Description: "read why the cleanup fails; to remove a TXT record, the controller needs the credentials of the DNS provider",
		Command:     "kubectl -n shop get challenge.acme.cert-manager.io cart -o jsonpath='{.status.reason}'",
	}
	install := stuck.Step{Action: stuck.ActionChange, Description: "install it again"}
	remover := controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "cert-manager", Name: "cert-manager"}}
	other := controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "scaler"}}
	for name, test := range map[string]struct {
		candidates []controller.Candidate
		complete   bool
		want       []stuck.Step
	}{
		"it is gone":                 {nil, true, []stuck.Step{reason}},
		"it is there":                {[]controller.Candidate{remover}, true, []stuck.Step{reason, logs}},
		"another was found":          {[]controller.Candidate{other}, true, []stuck.Step{reason}},
		"not everything was read":    {[]controller.Candidate{other}, false, []stuck.Step{reason, logs}},
		"nothing was, and not found": {nil, false, []stuck.Step{reason}},
	} {
		w := controller.Controller{Object: challenge, Finalizer: finalizer, CatalogMatch: match, Candidates: test.candidates, Complete: test.complete}
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
		got := slices.ContainsFunc(FollowableCatalogSteps(w), func(s stuck.Step) bool { return strings.HasPrefix(s.Command, "argocd ") })
		if got != want {
			t.Errorf("with %d workloads of the project, a step with argocd is offered: %t", len(others), got)
		}
	}
}

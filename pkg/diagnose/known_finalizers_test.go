package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What force costs does not depend on what could be read: for who may read nothing, and finds no cause, it is what the
// catalog knows.
func TestCostIsKnownWithoutACause(t *testing.T) {
	compared := 0
	for _, story := range stories(t) {
		d := diagnoseStory(t, story, source(t, story), func(string) bool { return true })
		for _, name := range d.Unexplained {
			o := d.Object
			match := known(t).Lookup(name, catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource})
			if match.OtherType || match.How == catalog.ByConvention || len(match.Entries) == 0 {
				continue
			}
			compared++
			want := stuck.Cost{Leaves: match.Entries[0].Leak, Description: match.Entries[0].LeftBehind}
			if got := d.CostOf([]string{name}); len(got) != 1 || got[0] != want {
				t.Errorf("%s: what force costs of %s is %v, want %v", story.Name, name, got, want)
			}
			if d.Known[name].Description == "" {
				t.Errorf("%s: nothing is said of what %s is for", story.Name, name)
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d finalizers were compared", compared)
	}
}

// A step says what to do. Where all that the catalog knows to do is to read the logs of what was not found, there is none.
func TestKnownFinalizersHaveNoEmptySteps(t *testing.T) {
	ingress := stuck.Type{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Kind: "Ingress", Namespaced: true}
	const finalizer = "ingress.k8s.aws/resources"
	match := known(t).Lookup(finalizer, catalog.Subject{Kind: ingress.Kind, Group: ingress.Group, Resource: ingress.Resource})
	if steps := match.Resolution("shop", "web"); len(steps) == 0 || slices.ContainsFunc(steps, func(s stuck.Step) bool { return !s.ReadsLogs }) {
		t.Fatalf("this needs an entry whose steps all read logs: %v", steps)
	}
	view := cluster.NewView(t.Context(), (&recording.Recording{}).Source(nil), []stuck.Type{ingress}, nil)
	web := stuck.Object{Type: ingress, Namespace: "shop", Name: "web", UID: "web", DeletionTime: view.Now().Add(-time.Hour), Finalizers: []string{finalizer}}
	diagnoses, err := diagnose.Objects(t.Context(), view, known(t), []stuck.Object{web})
	if err != nil {
		t.Fatal(err)
	}
	if about := diagnoses[0].Known[finalizer]; about.Description == "" || len(about.Fix) != 0 {
		t.Errorf("the catalog is said to advise %+v", about.Fix)
	}
}

package diagnose_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// oneRoute has one Route, which names the gateway front.
type oneRoute struct{ *recording.Source }

func (s oneRoute) List(_ context.Context, _ stuck.Type, _ cluster.Selection, visit func(unstructured.Unstructured)) error {
	visit(unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "home", "namespace": "shop", "uid": "r1", "labels": map[string]any{"draft": "yes"}},
		"spec":     map[string]any{"gateway": "front"},
	}})
	return nil
}

func (s oneRoute) Get(context.Context, stuck.Type, string, string) (*unstructured.Unstructured, error) {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "front", "namespace": "shop", "uid": "w1"},
		"spec": map[string]any{"className": "blue", "routeRef": map[string]any{"name": "home"}},
	}}, nil
}

var front = kit.KnownFinalizer{Object: stuck.Object{Type: widget, Namespace: "shop", Name: "front", UID: "w1"}, Finalizer: "example.com/cleanup"}

// A type whose group could not be discovered may be served all the same: what the catalog says of it was not checked.
func TestUndiscoveredTypesOfEntriesAreGaps(t *testing.T) {
	for name, test := range map[string]struct {
		entry catalog.Entry
		find  func(*cluster.View, kit.KnownFinalizer) []stuck.Finding
	}{
		"in-use":            {catalog.Entry{UsedBy: []catalog.Usage{{Type: "Route.late.example.com", Naming: catalog.Naming{Name: "spec.gateway"}}}}, cause.ObjectInUse.ByEntry},
		"class-missing":     {catalog.Entry{Class: []catalog.Class{{FieldValue: catalog.FieldValue{Field: "spec.className"}, Type: "Class.late.example.com"}}}, cause.ClassMissing.ByEntry},
		"reference-missing": {catalog.Entry{Needs: []catalog.Need{{Link: catalog.Link{Naming: catalog.Naming{Name: "spec.routeRef.name"}, Types: []catalog.Type{"Route.late.example.com"}}}}}, cause.ReferenceMissing.ByEntry},
	} {
		gaps := []stuck.Gap{cluster.StaleDiscoveryGap("late.example.com", "v1")}
		view := cluster.NewView(t.Context(), oneRoute{(&recording.Recording{}).Source(nil)}, []stuck.Type{widget}, gaps)
		known := front
		known.Entry = test.entry
		if found := test.find(view.Scoped(), known); len(found) > 0 {
			t.Errorf("%s is found: %v", name, found)
		}
		scoped := view.Scoped()
		test.find(scoped, known)
		if got := scoped.Gaps(); len(got) != 1 || got[0].GroupVersion.Group != "late.example.com" {
			t.Errorf("the gaps of %s are %v", name, got)
		}
	}
}

// Two usages of one type by one field differ in whom they leave out.
func TestEachUsageIsAskedByItself(t *testing.T) {
	route := stuck.Type{Group: "example.com", Version: "v1", Resource: "routes", Kind: "Route", Namespaced: true}
	view := cluster.NewView(t.Context(), oneRoute{(&recording.Recording{}).Source(nil)}, []stuck.Type{widget, route}, nil)
	known := front
	known.Entry.UsedBy = []catalog.Usage{
		{Type: "Route.example.com", Naming: catalog.Naming{Name: "spec.gateway"}, Unless: []catalog.FieldValue{{Label: "draft"}}},
		{Type: "Route.example.com", Naming: catalog.Naming{Name: "spec.gateway"}, Unless: []catalog.FieldValue{{Label: "disabled"}}},
	}
	if found := cause.ObjectInUse.ByEntry(view, known); len(found) != 1 {
		t.Errorf("it finds %v", found)
	}
}

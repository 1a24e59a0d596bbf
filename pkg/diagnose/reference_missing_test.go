package diagnose_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// namesMany has one object, which names many others, and no other.
type namesMany struct {
	*recording.Source
	names []any
	asked int // how often whether an object exists
	read  int // how many of the objects that it names
}

func (s *namesMany) Get(_ context.Context, of stuck.Type, _, name string) (*unstructured.Unstructured, error) {
	if of.Kind == widget.Kind && name != "w1" {
		s.read++
	}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"refs": s.names}}}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	object.SetUID("w1")
	return object, nil
}

func (s *namesMany) Metadata(_ context.Context, t stuck.Type, _, name string) (*metav1.PartialObjectMetadata, error) {
	s.asked++
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: t.Resource}, name)
}

// TestAnObjectThatNamesThousands holds that one object cannot make a command send thousands of requests, and that what
// is left out is said.
func TestAnObjectThatNamesThousands(t *testing.T) {
	for given, test := range map[int]struct{ asked, gaps int }{3: {3, 0}, 20: {20, 0}, 5000: {20, 1}} {
		source := &namesMany{Source: (&recording.Recording{}).Source(nil)}
		for i := range given {
			source.names = append(source.names, fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", i))
		}
		secret := stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
		view := cluster.NewView(t.Context(), source, []stuck.Type{widget, secret}, nil)
		findings := missingOf(view, catalog.Need{Link: namedByRefs("Secret")})
		if source.asked != test.asked || len(findings) != test.asked || len(gapsOfNames(view)) != test.gaps {
			t.Errorf("%d names: %d were looked up, %d findings, gaps %v", given, source.asked, len(findings), view.Gaps())
		}
	}
}

// TestLinksThroughThousands holds the same of objects in between: three are read, and what they name is looked up.
func TestLinksThroughThousands(t *testing.T) {
	for given, gaps := range map[int]int{1: 0, 3: 0, 5000: 2} { // too many to look up, and too many to read
		source := &namesMany{Source: (&recording.Recording{}).Source(nil)}
		for i := range given {
			source.names = append(source.names, fmt.Sprintf("s%d", i))
		}
		secret := stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
		view := cluster.NewView(t.Context(), source, []stuck.Type{widget, secret}, nil)
		missingOf(view, catalog.Need{Link: catalog.Link{Fixed: "key", Types: []catalog.Type{"Secret"}}, Of: []catalog.Link{namedByRefs("Widget.example.com")}})
		if source.read != min(given, 3) || len(gapsOfNames(view)) != gaps {
			t.Errorf("%d names: %d objects were read, gaps %v", given, source.read, view.Gaps())
		}
	}
}

// gapsOfNames are the gaps about what the Widget names.
func gapsOfNames(view *cluster.View) []stuck.Gap {
	return slices.DeleteFunc(view.Gaps(), func(gap stuck.Gap) bool {
		return !strings.Contains(gap.Source, "spec.refs[] of widget.example.com/w1 -n shop names")
	})
}

func namedByRefs(t catalog.Type) catalog.Link {
	return catalog.Link{Naming: catalog.Naming{Name: "spec.refs[]"}, Types: []catalog.Type{t}}
}

// missingOf are the findings about a need of one Widget.
func missingOf(view *cluster.View, need catalog.Need) []stuck.Finding {
	need.Purpose = "to finish"
	return cause.ReferenceMissing.ByEntry(view, kit.KnownFinalizer{
		Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"},
		Finalizer: "example.com/cleanup",
		Entry:     catalog.Entry{Needs: []catalog.Need{need}},
	})
}

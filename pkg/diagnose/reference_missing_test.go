package diagnose_test

import (
	"context"
	"fmt"
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
	asked int
}

func (s *namesMany) Get(context.Context, stuck.Type, string, string) (*unstructured.Unstructured, error) {
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
		findings := cause.ReferenceMissing.ByEntry(view, kit.KnownFinalizer{
			Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"},
			Finalizer: "example.com/cleanup",
			Entry:     catalog.Entry{Needs: []catalog.Need{{Link: catalog.Link{Naming: catalog.Naming{Name: "spec.refs[]"}, Types: []catalog.Type{"Secret"}}, Purpose: "to finish"}}},
		})
		gaps := 0
		for _, gap := range view.Gaps() {
			if gap.Source == "what spec.refs[] of widget.example.com/w1 -n shop names" {
				gaps++
			}
		}
		if source.asked != test.asked || len(findings) != test.asked || gaps != test.gaps {
			t.Errorf("%d names: %d were looked up, %d findings, gaps %v", given, source.asked, len(findings), view.Gaps())
		}
	}
}

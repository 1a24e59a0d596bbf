package diagnose_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// emptySource is a cluster in which nothing is found, at once: what is left of the
// time is what the causes take themselves.
type emptySource struct{ *recording.Source }

func (emptySource) Scan(context.Context, stuck.Type, cluster.Selection, func(stuck.Object)) error {
	return nil
}

func (emptySource) Metadata(_ context.Context, t stuck.Type, _, name string) (*metav1.PartialObjectMetadata, error) {
	return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

func (emptySource) Get(_ context.Context, t stuck.Type, _, name string) (*unstructured.Unstructured, error) {
	return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

func (emptySource) List(context.Context, stuck.Type, cluster.Selection, func(unstructured.Unstructured)) error {
	return nil
}

func (emptySource) MayPatch(context.Context, stuck.Type, string, string) (bool, error) {
	return false, nil
}

// BenchmarkDiagnose judges objects that are stuck on a finalizer that nobody
// knows, half of which wait for the others. What each takes should not grow
// with their number.
func BenchmarkDiagnose(b *testing.B) {
	known, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprintf("%d objects", n), func(b *testing.B) {
			objects := dependencyChain(n)
			b.ReportAllocs()
			for b.Loop() {
				recorded := &recording.Recording{Time: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), Version: "v1.37.1"}
				view := cluster.NewView(b.Context(), emptySource{recorded.Source(nil)}, nil, nil)
				view = view.WithSurvey("", &cluster.Survey{Objects: objects})
				if _, err := diagnose.Objects(b.Context(), view, known, objects); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/object")
		})
	}
}

// dependencyChain are objects of ten namespaces, every other of which waits for the
// one before it.
func dependencyChain(n int) []stuck.Object {
	widget := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true, Listable: true}
	objects := make([]stuck.Object, n)
	for i := range objects {
		objects[i] = stuck.Object{
			Type: widget, Namespace: fmt.Sprintf("shop-%d", i/2%10), Name: fmt.Sprintf("w%d", i), UID: types.UID(fmt.Sprintf("uid-%d", i)),
			DeletionTime: time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC), Finalizers: []string{"example.com/cleanup"},
		}
		if i%2 == 0 {
			objects[i].Finalizers = []string{metav1.FinalizerDeleteDependents}
			continue
		}
		objects[i].Owners = []stuck.OwnerReference{{Kind: "Widget", Name: objects[i-1].Name, UID: objects[i-1].UID, Controller: true, BlockOwnerDeletion: true}}
	}
	return objects
}

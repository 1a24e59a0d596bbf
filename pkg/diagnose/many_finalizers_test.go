package diagnose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// manyFinalizersSource is a cluster in which there is one object, with many finalizers.
type manyFinalizersSource struct {
	emptySource
	object *metav1.PartialObjectMetadata
	// operator is the Deployment of the field manager that set the finalizers, nil where there is none.
	operator *unstructured.Unstructured
	// rejection is what dry runs are answered.
	rejection error
	// forbidden says that nothing may be listed.
	forbidden bool
	// onProbe is called when a dry run is sent.
	onProbe func()
}

var deniedByWebhook = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "big", errors.New(`admission webhook "check.example.com" denied the request: no`))

// addOperator adds a controller that does not run.
func (s *manyFinalizersSource) addOperator() {
	s.operator = &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "shop", "name": "shop-operator", "uid": "uid-of-operator"},
		"spec":     map[string]any{"replicas": int64(0)},
	}}
}

func (s manyFinalizersSource) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	switch {
	case s.forbidden:
		return apierrors.NewForbidden(t.GVR().GroupResource(), sel.Name, errors.New("no"))
	case s.operator != nil && t.Kind == "Deployment":
		visit(*s.operator.DeepCopy())
	}
	return nil
}

func (s manyFinalizersSource) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	if name == s.object.Name && t.Kind == "ConfigMap" {
		return s.object, nil
	}
	return s.emptySource.Metadata(ctx, t, namespace, name)
}

func (s manyFinalizersSource) Get(ctx context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	m, err := s.Metadata(ctx, t, namespace, name)
	if err != nil {
		return nil, err
	}
	object, err := k8sruntime.DefaultUnstructuredConverter.ToUnstructured(m)
	return &unstructured.Unstructured{Object: object}, err
}

func (s manyFinalizersSource) MayPatch(context.Context, stuck.Type, string, string) (bool, error) {
	return true, nil
}

func (s manyFinalizersSource) Probe(context.Context, stuck.Object) error {
	if s.onProbe != nil {
		s.onProbe()
	}
	return s.rejection
}

func newManyFinalizersSource(b testing.TB, n int) manyFinalizersSource {
	b.Helper()
	deleted := metav1.NewTime(time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC))
	object := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "big", UID: "uid-of-big", DeletionTimestamp: &deleted, ResourceVersion: "7"},
	}
	set := map[string]any{".": map[string]any{}}
	for i := range n {
		name := fmt.Sprintf("example.com/finalizer-%d", i)
		object.Finalizers = append(object.Finalizers, name)
		set[fmt.Sprintf("v:%q", name)] = map[string]any{}
	}
	raw, err := json.Marshal(map[string]any{"f:metadata": map[string]any{"f:finalizers": set}})
	if err != nil {
		b.Fatal(err)
	}
	object.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "shop-operator", Operation: metav1.ManagedFieldsOperationUpdate, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw))}}
	recorded := &recording.Recording{Time: deleted.Add(time.Hour), Version: "v1.37.1"}
	return manyFinalizersSource{emptySource: emptySource{recorded.Source(nil)}, object: object}
}

func (s manyFinalizersSource) view(ctx context.Context) (*cluster.View, stuck.Object) {
	object := stuck.ObjectOf(cluster.ConfigMapType, s.object.ObjectMeta)
	view := cluster.NewView(ctx, s, []stuck.Type{cluster.ConfigMapType}, nil)
	return view.WithSurvey("", &cluster.Survey{Objects: []stuck.Object{object}}), object
}

func (s manyFinalizersSource) diagnose(ctx context.Context, known *catalog.Catalog) error {
	view, object := s.view(ctx)
	_, err := diagnose.Objects(ctx, view, known, []stuck.Object{object})
	return err
}

// allocatedFor is how many bytes one diagnosis of n finalizers allocates, which does not depend on the machine.
func allocatedFor(t *testing.T, known *catalog.Catalog, source manyFinalizersSource) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := source.diagnose(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestCostGrowsWithFinalizersAndNotWithTheirSquare(t *testing.T) {
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*manyFinalizersSource){
		"no controller is known":        func(*manyFinalizersSource) {},
		"the controller is scaled to 0": (*manyFinalizersSource).addOperator,
		"updates are rejected":          func(s *manyFinalizersSource) { s.rejection = deniedByWebhook },
		"updates are rejected, and the controller is scaled to 0": func(s *manyFinalizersSource) {
			s.rejection = deniedByWebhook
			s.addOperator()
		},
		"lists are forbidden": func(s *manyFinalizersSource) { s.forbidden = true },
	} {
		t.Run(name, func(t *testing.T) {
			const n = 400
			few, many := newManyFinalizersSource(t, n), newManyFinalizersSource(t, 4*n)
			change(&few)
			change(&many)
			allocatedFor(t, known, few) // what is made once
			if a, b := allocatedFor(t, known, few), allocatedFor(t, known, many); b > 6*a {
				t.Errorf("%d finalizers allocate %d MiB, and four times as many %d MiB", n, a>>20, b>>20)
			}
		})
	}
}

func TestResultOfADryRunIsKeptForAllFinalizers(t *testing.T) {
	view, object := newManyFinalizersSource(t, 2000).view(t.Context())
	view.Probe(object)
	if allocations := testing.AllocsPerRun(10, func() { view.Probe(object) }); allocations > 100 {
		t.Errorf("to ask for it again takes %.0f allocations", allocations)
	}
}

func TestCancellationEndsTheDiagnosisOfManyFinalizers(t *testing.T) {
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	source := newManyFinalizersSource(t, 2000)
	allocatedFor(t, known, source)
	full := allocatedFor(t, known, source)
	ctx, cancel := context.WithCancel(t.Context())
	source.onProbe = cancel // the causes of the object are looked for, and after that those of each finalizer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := source.diagnose(ctx, known); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	runtime.ReadMemStats(&after)
	if canceled := after.TotalAlloc - before.TotalAlloc; canceled > full/4 {
		t.Errorf("after it was canceled it allocated %d KiB, of %d KiB", canceled>>10, full>>10)
	}
}

// BenchmarkManyFinalizers judges one object with many finalizers. What each takes should not grow with their number.
func BenchmarkManyFinalizers(b *testing.B) {
	known, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{500, 1000, 2000} {
		b.Run(fmt.Sprintf("%d finalizers", n), func(b *testing.B) {
			source := newManyFinalizersSource(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := source.diagnose(b.Context(), known); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/finalizer")
		})
	}
}

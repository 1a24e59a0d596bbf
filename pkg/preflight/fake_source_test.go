package preflight_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var now = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// fakeSource is a source in which there is what a test writes down, and nothing else: APIServices and conversions
// that fail cannot be had on a control plane that tests share.
type fakeSource struct {
	cluster.Source // whatever else is asked, a prediction does not ask
	objects        []unstructured.Unstructured
	// unreadable are the resources that the user may not read.
	unreadable string
	// watches are the watches that the API server metrics count.
	watches []cluster.WatchCount
}

func newFakeSource(t *testing.T, manifests string) *fakeSource {
	t.Helper()
	s := &fakeSource{}
	for _, text := range strings.Split(manifests, "\n---\n") {
		u := unstructured.Unstructured{}
		document, err := yaml.YAMLToJSON([]byte(text))
		if err := errors.Join(err, u.UnmarshalJSON(document)); err != nil { // which keeps whole numbers
			t.Fatal(err)
		}
		s.objects = append(s.objects, u)
	}
	return s
}

func (s *fakeSource) Now() time.Time { return now }

func (s *fakeSource) Metrics(context.Context) (cluster.Metrics, error) {
	return cluster.Metrics{Watches: s.watches}, nil
}

func (s *fakeSource) MayPatch(context.Context, stuck.Type, string, string) (bool, error) {
	return true, nil
}

func (s *fakeSource) Probe(context.Context, stuck.Object) error { return nil }

func (s *fakeSource) Version(context.Context) (string, error) { return "v1.37.1", nil }

func (s *fakeSource) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if s.unreadable == t.Resource {
		return apierrors.NewForbidden(t.GVR().GroupResource(), "", nil)
	}
	selector, err := labels.Parse(sel.Labels)
	if err != nil {
		return err
	}
	for _, u := range s.objects {
		if u.GroupVersionKind() == t.GVK() && (sel.Namespace == "" || u.GetNamespace() == sel.Namespace) && (sel.Name == "" || u.GetName() == sel.Name) && selector.Matches(labels.Set(u.GetLabels())) {
			visit(*u.DeepCopy())
		}
	}
	return nil
}

func (s *fakeSource) Get(_ context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	if s.unreadable == t.Resource {
		return nil, apierrors.NewForbidden(t.GVR().GroupResource(), name, nil)
	}
	for _, u := range s.objects {
		if u.GroupVersionKind() == t.GVK() && u.GetNamespace() == namespace && u.GetName() == name {
			return u.DeepCopy(), nil
		}
	}
	return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

func (s *fakeSource) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	u, err := s.Get(ctx, t, namespace, name)
	if err != nil {
		return nil, err
	}
	return metadataOf(*u)
}

func (s *fakeSource) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	var malformed error
	err := s.List(ctx, t, sel, func(u unstructured.Unstructured) {
		m, err := metadataOf(u)
		if err != nil {
			malformed = err
			return
		}
		visit(stuck.ObjectOf(t, m.ObjectMeta))
	})
	if malformed != nil {
		return malformed
	}
	return err
}

func metadataOf(u unstructured.Unstructured) (*metav1.PartialObjectMetadata, error) {
	m := &metav1.PartialObjectMetadata{}
	return m, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, m)
}

// predict predicts what becomes of objects, each KIND/NAME -n NAMESPACE or KIND/NAME.
func (s *fakeSource) predict(t *testing.T, types []stuck.Type, refs ...string) preflight.Result {
	t.Helper()
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	var selected []stuck.Object
	for _, served := range types {
		err := s.Scan(t.Context(), served, cluster.Selection{}, func(o stuck.Object) {
			for _, ref := range refs {
				if o.RefInNamespace() == ref {
					selected = append(selected, o)
				}
			}
		})
		if err != nil && s.unreadable == "" {
			t.Fatal(err)
		}
	}
	if len(selected) != len(refs) {
		t.Fatalf("of %q these were found: %v", refs, selected)
	}
	options := preflight.Options{Source: s, Types: types, View: cluster.NewView(t.Context(), s, types, nil), Catalog: known, Probe: true, Selected: selected}
	r, err := preflight.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	options.View, options.Probe = cluster.NewView(t.Context(), s, types, nil), false
	others, gaps, err := preflight.FindOthers(t.Context(), options)
	if err != nil || !slices.Equal(lines(others), lines(r.Others)) {
		t.Errorf("alone these others are found: %q, not %q; gaps %v, error %v", lines(others), lines(r.Others), gaps, err)
	}
	return r
}

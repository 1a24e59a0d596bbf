package controller_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	now    = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	widget = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	w1     = stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "uid-of-w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{finalizer}}
)

const finalizer = "example.com/cleanup"

// fakeSource is a source in which there is what a test writes down, be it such as no
// API server would let in, and nothing else.
type fakeSource struct {
	cluster.Source // whatever else is asked, no clue asks
	t              *testing.T
	objects        []unstructured.Unstructured
	watches        []cluster.WatchCount
}

// newFakeSource reads the objects of a world.
func newFakeSource(t *testing.T, manifests string) *fakeSource {
	t.Helper()
	w := &fakeSource{t: t}
	for _, text := range strings.Split(manifests, "\n---\n") {
		u := unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		if len(u.Object) > 0 {
			w.objects = append(w.objects, u)
		}
	}
	return w
}

func (w *fakeSource) view() *cluster.View {
	return cluster.NewView(w.t.Context(), w, []stuck.Type{widget}, nil)
}

// known is the catalog, loaded once.
func known(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var loaded = sync.OnceValues(catalog.Load)

// find looks for the controller of the finalizer on w1.
func (w *fakeSource) find() (controller.Controller, *cluster.View) {
	w.t.Helper()
	view := w.view()
	return controller.Find(view, known(w.t), w1, finalizer), view
}

func (w *fakeSource) Now() time.Time { return now }

func (w *fakeSource) Metrics(context.Context) (cluster.Metrics, error) {
	return cluster.Metrics{Watches: w.watches}, nil
}

// listableResources are types of which nobody may read all that a cluster holds whole, nor the metadata of all Pods, Secrets, ConfigMaps, Leases
// and Events.
var listableResources = []string{"pods", "secrets", "configmaps", "deployments", "statefulsets", "daemonsets", "cronjobs", "leases", "events"}

func (w *fakeSource) List(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if sel.Namespace == "" && sel.Name == "" && sel.Labels == "" && slices.Contains(listableResources, t.Resource) {
		w.t.Errorf("it asked for all %s of the cluster", t)
	}
	return w.list(t, sel, visit)
}

func (w *fakeSource) list(t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	byLabel, err := labels.Parse(sel.Labels)
	if err != nil {
		return err
	}
	byField, err := fields.ParseSelector(sel.Fields)
	if err != nil {
		return err
	}
	for _, u := range w.objects {
		account, _, _ := unstructured.NestedString(u.Object, "spec", "serviceAccountName")
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		uid, _, _ := unstructured.NestedString(u.Object, "involvedObject", "uid")
		has := fields.Set{"spec.serviceAccountName": account, "status.phase": phase, "involvedObject.uid": uid}
		if u.GroupVersionKind() == t.GVK() && (sel.Namespace == "" || u.GetNamespace() == sel.Namespace) &&
			(sel.Name == "" || u.GetName() == sel.Name) && byLabel.Matches(labels.Set(u.GetLabels())) && byField.Matches(has) {
			visit(u)
		}
	}
	return nil
}

func (w *fakeSource) Get(_ context.Context, t stuck.Type, namespace, name string) (*unstructured.Unstructured, error) {
	for _, u := range w.objects {
		if u.GroupVersionKind() == t.GVK() && u.GetNamespace() == namespace && u.GetName() == name {
			return &u, nil
		}
	}
	return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
}

func (w *fakeSource) Metadata(ctx context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	u, err := w.Get(ctx, t, namespace, name)
	if err != nil {
		return nil, err
	}
	return metadata(*u)
}

func (w *fakeSource) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	list := w.list
	if t.Group != "apps" {
		list = func(t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
			return w.List(ctx, t, sel, visit)
		}
	}
	return list(t, sel, func(u unstructured.Unstructured) {
		m, err := metadata(u)
		if err != nil {
			w.t.Error(err)
			return
		}
		visit(stuck.ObjectOf(t, m.ObjectMeta))
	})
}

func metadata(u unstructured.Unstructured) (*metav1.PartialObjectMetadata, error) {
	m := &metav1.PartialObjectMetadata{}
	return m, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, m)
}

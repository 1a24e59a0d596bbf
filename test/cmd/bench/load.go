package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	// perNamespace is how many objects one namespace holds.
	perNamespace = 400
	// perStuck is how many objects there are for each that is being deleted and cannot go.
	perStuck = 1000
	// hold is the finalizer of those: no controller removes it.
	hold = "bench.example.com/hold"
	// writers is how many objects are created at the same time.
	writers = 12
)

// loader fills a cluster. What it makes is numbered, so that it can go on from where it stopped.
type loader struct {
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	crds       int
}

func newLoad(config *rest.Config, crds int) (*loader, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	l := &loader{crds: crds}
	var err error
	if l.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("setting up the client for custom resources: %w", err)
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = config.ContentType
	if l.kubernetes, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("setting up the client: %w", err)
	}
	return l, nil
}

// namespaceOf is where the object of a number lives.
func namespaceOf(i int) string { return fmt.Sprintf("load-%04d", i/perNamespace) }

// fill creates the objects of the numbers from the first up to the last, less the last.
func (l *loader) fill(ctx context.Context, from, to int) error {
	return forEach(ctx, from, to, func(ctx context.Context, i int) error {
		var finalizers []string
		if i%perStuck == 0 || l.isFirstOfItsType(i) {
			finalizers = []string{hold}
		}
		return l.create(ctx, i, namespaceOf(i), finalizers)
	})
}

// isFirstOfItsType reports whether a number is that of the first object of every other custom type: one of each of these types is
// stuck.
func (l *loader) isFirstOfItsType(i int) bool { return i%8 == 3 && i/4 < l.crds }

// create creates one object: of four, two are Pods, one a ConfigMap and one a custom resource. One with finalizers is
// deleted at once, and stays.
func (l *loader) create(ctx context.Context, i int, namespace string, finalizers []string) error {
	name := fmt.Sprintf("app-%d", i)
	var err error
	remove := func(context.Context, string, metav1.DeleteOptions) error { return nil }
	switch i % 4 {
	case 0, 1:
		pods := l.kubernetes.CoreV1().Pods(namespace)
		_, err = pods.Create(ctx, pod(name, finalizers), metav1.CreateOptions{})
		remove = pods.Delete
	case 2:
		configMaps := l.kubernetes.CoreV1().ConfigMaps(namespace)
		_, err = configMaps.Create(ctx, configMap(name, finalizers), metav1.CreateOptions{})
		remove = configMaps.Delete
	case 3:
		kind := i / 4 % l.crds
		_, err = l.dynamic.Resource(customType(kind)).Namespace(namespace).Create(ctx, custom(kind, name, finalizers), metav1.CreateOptions{})
		remove = func(ctx context.Context, name string, options metav1.DeleteOptions) error {
			return l.dynamic.Resource(customType(kind)).Namespace(namespace).Delete(ctx, name, options)
		}
	}
	if err != nil && !apierrors.IsAlreadyExists(err) { // it may be there from a run that was interrupted
		return fmt.Errorf("creating object %d: %w", i, err)
	}
	if len(finalizers) == 0 {
		return nil
	}
	if err := remove(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("deleting object %d: %w", i, err)
	}
	return nil
}

// forEach does something for each number, several at a time.
func forEach(ctx context.Context, from, to int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := from; i < to && ctx.Err() == nil; i++ {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

var crdType = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// createCRDs creates the CustomResourceDefinitions.
func (l *loader) createCRDs(ctx context.Context) error {
	return forEach(ctx, 0, l.crds, func(ctx context.Context, i int) error {
		_, err := l.dynamic.Resource(crdType).Create(ctx, definition(i), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating CustomResourceDefinition %d: %w", i, err)
		}
		return nil
	})
}

func customType(i int) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: groupOf(i), Version: "v1", Resource: fmt.Sprintf("widget%ds", i)}
}

// groupOf puts ten types into each group, as operators do.
func groupOf(i int) string { return fmt.Sprintf("group%d.bench.example.com", i/10) }

func object(content map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: content}
}

package live

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// List visits whole objects, a page of them at a time.
func (s *Server) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if t.IsSecret() {
		return errSecretContents
	}
	if err := checkPathSegments(sel.Namespace); err != nil {
		return err
	}
	return eachPage(sel, func(opts metav1.ListOptions) (metav1.ListInterface, int, error) {
		page, err := sendRead(ctx, s, func(ctx context.Context) (*unstructured.UnstructuredList, error) {
			return s.dynamic.Resource(t.GVR()).Namespace(sel.Namespace).List(ctx, opts)
		})
		if err != nil {
			return nil, 0, err
		}
		for _, u := range page.Items {
			visit(u)
		}
		return page, len(page.Items), nil
	})
}

// ListMetadata visits the metadata of some objects of a type, a page of all of them at a time.
func (s *Server) ListMetadata(ctx context.Context, t stuck.Type, names map[types.NamespacedName]bool, maxObjects int, visit func(*metav1.PartialObjectMetadata)) error {
	return eachPage(cluster.Selection{MaxObjects: maxObjects}, func(opts metav1.ListOptions) (metav1.ListInterface, int, error) {
		page, err := sendRead(ctx, s, func(ctx context.Context) (*metav1.PartialObjectMetadataList, error) {
			return s.metadata.Resource(t.GVR()).List(ctx, opts)
		})
		if err != nil {
			return nil, 0, err
		}
		for i := range page.Items {
			m := page.Items[i] // a copy: who keeps it must not keep the whole page
			if names[types.NamespacedName{Namespace: m.Namespace, Name: m.Name}] {
				visit(&m)
			}
		}
		return page, len(page.Items), nil
	})
}

// eachPage requests the pages of a list, each of which says how many objects it has.
func eachPage(sel cluster.Selection, request func(metav1.ListOptions) (metav1.ListInterface, int, error)) error {
	opts, read, pages := listOptions(sel), 0, pageSequence{}
	maxObjects := cmp.Or(sel.MaxObjects, maxListedObjects)
	for {
		page, n, err := request(opts)
		if err != nil {
			return err
		}
		opts.Continue, read = page.GetContinue(), read+n
		remaining := page.GetRemainingItemCount()
		switch {
		case opts.Continue == "":
			return nil
		case read >= maxObjects, sel.MaxObjects > 0 && remaining != nil && int64(read)+*remaining > int64(maxObjects):
			return cluster.ErrTooManyObjects
		}
		if err := pages.follow(opts.Continue, n); err != nil {
			return err
		}
	}
}

func listOptions(sel cluster.Selection) metav1.ListOptions {
	opts := metav1.ListOptions{LabelSelector: sel.Labels, Limit: defaultPageSize}
	if sel.Unpaged {
		opts.Limit = 0
	}
	opts.FieldSelector = sel.Fields
	if sel.Name != "" {
		opts.FieldSelector = "metadata.name=" + sel.Name
	}
	return opts
}

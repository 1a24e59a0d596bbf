package live

import (
	"cmp"
	"context"
	"errors"

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
	opts, read, tokens := listOptions(sel), 0, continueTokens{}
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
		case tokens.repeats(opts.Continue):
			return errRepeatedContinue
		}
	}
}

// continueTokens are those that the pages of a list have ended with.
type continueTokens map[string]bool

// repeats reports whether a token has come before. A list that leads back to one
// of its own pages has no end.
func (c continueTokens) repeats(token string) bool {
	repeated := c[token]
	c[token] = true
	return repeated
}

// errRepeatedContinue is the error of a list without an end.
var errRepeatedContinue = errors.New("the server gives the same continue token twice, so the list has no end")

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

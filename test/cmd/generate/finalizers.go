package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// finalizerPages writes docs/finalizers.md and a page for each area from the
// catalog, and takes away the pages of areas that are no more.
func finalizerPages(root string) error {
	known, err := catalog.Load()
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "docs", "finalizers")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, page := range known.Pages() {
		err := write(root, filepath.Join("docs", page.Name), func(b *bytes.Buffer) error {
			b.Write(page.Content)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

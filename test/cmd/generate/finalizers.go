package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// finalizerPages writes docs/finalizers.md and a page for each area from the
// catalog, and removes the pages of areas that no longer exist.
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
	for _, page := range catalogDocuments(known) {
		err := write(root, filepath.Join("docs", page.name), func(b *bytes.Buffer) error {
			b.Write(page.content)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/schema"
)

// schemas writes docs/schema from the Go types of the documents.
func schemas(root string) error {
	all, err := schema.All(root, false)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "docs", "schema")
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	for kind, each := range all {
		err := write(root, filepath.Join("docs", "schema", schema.FileName(kind)), func(b *bytes.Buffer) error {
			encoder := json.NewEncoder(b)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			return encoder.Encode(each)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

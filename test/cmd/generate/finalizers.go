package main

import (
	"bytes"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// finalizerPage writes docs/finalizers.md from the catalogue.
func finalizerPage(b *bytes.Buffer) error {
	known, err := catalog.Load()
	if err != nil {
		return err
	}
	return known.Markdown(b)
}

package main

import (
	"bytes"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
)

// causePage writes docs/causes.md from what each cause says of itself.
func causePage(b *bytes.Buffer) error {
	fmt.Fprint(b, "# Why objects are stuck\n\nGenerated from `pkg/cause`: the causes that kubectl finalizers recognizes, by the ids that `list` and `explain` use.\n\n")
	for _, c := range diagnose.Causes() {
		fmt.Fprintf(b, "- [%s](#%s): %s\n", c.ID, c.ID, c.Title)
	}
	for _, c := range diagnose.Causes() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n\n", c.ID, c.Title)
		fmt.Fprintf(b, "**How it shows.** %s\n\n**Why.** %s\n\n**How to fix it.** %s\n\n**What force costs.** %s\n", c.Doc.Symptoms, c.Doc.Why, c.Doc.Fix, c.Doc.IfForced)
	}
	return nil
}

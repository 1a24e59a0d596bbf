package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
)

// causeList writes the list of all causes: each variable of package cause that
// is made as `var X = Cause{...}`.
func causeList(b *bytes.Buffer, dir string) error {
	names, err := causeNames(dir)
	if err != nil {
		return err
	}
	fmt.Fprint(b, `// Code generated from the causes of this package. DO NOT EDIT.

package cause

// All are the causes, in the order of their names.
func All() []Cause {
	return []Cause{
`)
	for _, name := range names {
		fmt.Fprintf(b, "\t\t%s,\n", name)
	}
	fmt.Fprint(b, "\t}\n}\n")
	return nil
}

func causeNames(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file.Name()), nil, 0)
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			names = append(names, causesOf(decl)...)
		}
	}
	slices.Sort(names)
	return names, nil
}

func causesOf(decl ast.Decl) []string {
	vars, ok := decl.(*ast.GenDecl)
	if !ok || vars.Tok != token.VAR {
		return nil
	}
	var names []string
	for _, spec := range vars.Specs {
		v := spec.(*ast.ValueSpec)
		for i, value := range v.Values {
			literal, ok := value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if t, ok := literal.Type.(*ast.Ident); ok && t.Name == "Cause" {
				names = append(names, v.Names[i].Name)
			}
		}
	}
	return names
}

// causePage writes docs/causes.md from what each cause says of itself.
func causePage(b *bytes.Buffer) error {
	fmt.Fprint(b, "# Why objects are stuck\n\nGenerated from `pkg/cause`: what kubectl finalizers recognises, by the names that `list` and `explain` use.\n\n")
	for _, c := range diagnose.All() {
		fmt.Fprintf(b, "- [%s](#%s): %s\n", c.ID, c.ID, c.Title)
	}
	for _, c := range diagnose.All() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n\n", c.ID, c.Title)
		fmt.Fprintf(b, "**How it shows.** %s\n\n**Why.** %s\n\n**How to fix it.** %s\n\n**What force costs.** %s\n", c.Doc.Symptoms, c.Doc.Why, c.Doc.Fix, c.Doc.IfForced)
	}
	return nil
}

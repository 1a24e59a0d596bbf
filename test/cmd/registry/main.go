// Registry writes the list of all causes, pkg/diagnose/zz_causes.go, from the
// folders of pkg/cause. It is a program of its own so that it builds without
// the list that it writes.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	if err := writeRegistry(root); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func writeRegistry(root string) error {
	content, err := registry(root)
	if err != nil {
		return fmt.Errorf("listing the causes: %w", err)
	}
	return os.WriteFile(filepath.Join(root, "pkg", "diagnose", "zz_causes.go"), content, 0o644)
}

// module is the product's, below which the causes are imported.
const module = "github.com/kubectl-finalizers/kubectl-finalizers/"

// declaredCause is a variable that is made as `var X = kit.Cause{ID: "...", ...}`.
type declaredCause struct {
	id   string
	dir  string // from the root of the repository, with slashes
	name string
}

// registry is the source of the list of all causes that are declared below pkg/cause.
func registry(root string) ([]byte, error) {
	causes, err := declaredCauses(root)
	if err != nil {
		return nil, err
	}
	dirs := map[string]bool{"pkg/cause/kit": true}
	for _, c := range causes {
		dirs[c.dir] = true
	}
	var src bytes.Buffer
	fmt.Fprint(&src, "// Code generated from the folders of pkg/cause. DO NOT EDIT.\n\npackage diagnose\n\nimport (\n")
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		fmt.Fprintf(&src, "\t%q\n", module+dir)
	}
	fmt.Fprint(&src, ")\n\n// Causes are all causes, in the order of their ids.\nfunc Causes() []kit.Cause {\n\treturn []kit.Cause{\n")
	for _, c := range causes {
		fmt.Fprintf(&src, "\t\t%s.%s,\n", path.Base(c.dir), c.name)
	}
	fmt.Fprint(&src, "\t}\n}\n")
	return format.Source(src.Bytes())
}

func declaredCauses(root string) ([]declaredCause, error) {
	var causes []declaredCause
	err := filepath.WalkDir(filepath.Join(root, "pkg", "cause"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		for _, decl := range parsed.Decls {
			causes = append(causes, causesOf(decl, filepath.ToSlash(dir))...)
		}
		return err
	})
	slices.SortFunc(causes, func(a, b declaredCause) int { return cmp.Compare(a.id, b.id) })
	return causes, err
}

func causesOf(decl ast.Decl, dir string) []declaredCause {
	vars, ok := decl.(*ast.GenDecl)
	if !ok || vars.Tok != token.VAR {
		return nil
	}
	var causes []declaredCause
	for _, spec := range vars.Specs {
		v := spec.(*ast.ValueSpec)
		for i, value := range v.Values {
			literal, ok := value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if t, ok := literal.Type.(*ast.SelectorExpr); ok && t.Sel.Name == "Cause" {
				causes = append(causes, declaredCause{id: idOf(literal), dir: dir, name: v.Names[i].Name})
			}
		}
	}
	return causes
}

// idOf is the field ID of a composite literal, empty where there is none.
func idOf(literal *ast.CompositeLit) string {
	for _, element := range literal.Elts {
		field, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isIdent := field.Key.(*ast.Ident)
		value, isLiteral := field.Value.(*ast.BasicLit)
		if isIdent && isLiteral && key.Name == "ID" {
			id, _ := strconv.Unquote(value.Value)
			return id
		}
	}
	return ""
}

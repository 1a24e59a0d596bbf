package diagnose_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
)

// causeFolders are the folders below pkg/cause that hold causes, each with its
// files parsed.
func causeFolders(t *testing.T, fset *token.FileSet) map[string][]*ast.File {
	t.Helper()
	folders := map[string][]*ast.File{}
	err := filepath.WalkDir("../cause", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if dir := filepath.Dir(path); filepath.Base(dir) != "kit" {
			folders[dir] = append(folders[dir], file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// declaredIDs are the ids of the causes that a file declares.
func declaredIDs(file *ast.File) []string {
	var ids []string
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if t, ok := literal.Type.(*ast.SelectorExpr); !ok || t.Sel.Name != "Cause" {
			return true
		}
		for _, element := range literal.Elts {
			if field := element.(*ast.KeyValueExpr); field.Key.(*ast.Ident).Name == "ID" {
				ids = append(ids, strings.Trim(field.Value.(*ast.BasicLit).Value, `"`))
			}
		}
		return true
	})
	return ids
}

// TestEveryCauseIsRegistered holds the registry against the folders: a cause
// that is written and not registered would never be looked for.
func TestEveryCauseIsRegistered(t *testing.T) {
	var want, got []string
	for _, files := range causeFolders(t, token.NewFileSet()) {
		for _, file := range files {
			want = append(want, declaredIDs(file)...)
		}
	}
	for _, c := range diagnose.Causes() {
		got = append(got, c.ID)
	}
	slices.Sort(want)
	if !slices.Equal(want, got) {
		t.Errorf("the registry has %d causes, the folders of pkg/cause have %d: run make generate\nregistry: %v\nfolders:  %v", len(got), len(want), got, want)
	}
}

// TestCausesShareNoFile forbids the file of a cause to use what the file of
// another cause declares: what two causes share is in pkg/cause/kit, or in a
// file of the project's folder that holds no cause.
func TestCausesShareNoFile(t *testing.T) {
	fset := token.NewFileSet()
	for dir, files := range causeFolders(t, fset) {
		for _, use := range sharedDeclarations(dir, fset, files) {
			t.Error(use)
		}
	}
}

// sharedDeclarations are the uses of what the file of another cause declares: functions,
// types, values, and also the methods and fields of types.
func sharedDeclarations(dir string, fset *token.FileSet, files []*ast.File) []string {
	causeFiles := map[string]bool{}
	for _, file := range files {
		if len(declaredIDs(file)) > 0 {
			causeFiles[fset.Position(file.Pos()).Filename] = true
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// The packages that are imported need not be read: what matters is
	// declared in the folder itself.
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := config.Check(dir, fset, files, info)
	var out []string
	for ident, object := range info.Uses {
		variable, isVariable := object.(*types.Var)
		function, isFunction := object.(*types.Func)
		isMember := isVariable && variable.IsField() || isFunction && function.Signature().Recv() != nil
		if object.Pkg() != pkg || object.Parent() != pkg.Scope() && !isMember {
			continue
		}
		declared, used := fset.Position(object.Pos()).Filename, fset.Position(ident.Pos())
		if causeFiles[declared] && declared != used.Filename {
			out = append(out, fmt.Sprintf("%s uses %s, which the file of another cause declares: %s", used, ident.Name, declared))
		}
	}
	slices.Sort(out)
	return out
}

// What is shared is found by whatever it is: a test that overlooks methods lets causes grow together by them.
func TestSharedDeclarations(t *testing.T) {
	const first = `package p
import "kit"
type budget struct { left int }
func (b budget) allows() bool { return b.left > 0 }
func limit() int { return 1 }
var First = kit.Cause{ID: "first"}`
	const neutral = `package p
type shared struct { name string }
func (s shared) title() string { return s.name }
func newBudget() (b budget) { return }`
	for use, want := range map[string]int{
		"limit()":                          1,
		"newBudget().allows()":             1,
		"newBudget().left":                 1,
		"budget{left: 1}":                  2,
		"shared{name: \"\"}.title()":       0,
		"struct{ left int }{left: 1}.left": 0,
	} {
		fset := token.NewFileSet()
		var files []*ast.File
		for name, text := range map[string]string{"first.go": first, "neutral.go": neutral, "second.go": "package p\nimport \"kit\"\nvar Second = kit.Cause{ID: \"second\"}\nvar _ = " + use} {
			file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		found := slices.DeleteFunc(sharedDeclarations("p", fset, files), func(text string) bool { return !strings.HasPrefix(text, "second.go") })
		if len(found) != want {
			t.Errorf("%s: %v", use, found)
		}
	}
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

package diagnose_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// commandFolders are where commands for the user to paste are made.
var commandFolders = []string{"../cause", "../backend", "../controller", "../diagnose"}

// TestCommandsAreQuoted forbids to put a command together by hand: names of a
// cluster can hold anything, and only stuck.Shellf and its like quote them.
func TestCommandsAreQuoted(t *testing.T) {
	fset := token.NewFileSet()
	for _, folder := range commandFolders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if unquotedCommand(n) {
					t.Errorf("%s puts a command together by hand: use stuck.Shellf", fset.Position(n.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// unquotedCommand reports whether a node adds something to a literal command, or
// formats one with package fmt.
func unquotedCommand(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op == token.ADD && isCommand(n.X) && !isLiteral(n.Y)
	case *ast.CallExpr:
		function, ok := n.Fun.(*ast.SelectorExpr)
		return ok && function.Sel.Name == "Sprintf" && len(n.Args) > 1 && isCommand(n.Args[0])
	}
	return false
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

func isCommand(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return false
	}
	text := strings.Trim(literal.Value, "\"`")
	for _, program := range []string{"kubectl ", "etcdctl ", "printf "} {
		if strings.HasPrefix(text, program) && text != program {
			return true
		}
	}
	return false
}

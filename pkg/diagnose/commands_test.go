package diagnose_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsAreQuoted forbids to put a command together by hand: names of a
// cluster can hold anything, and only stuck.Shellf and its like quote them.
func TestCommandsAreQuoted(t *testing.T) {
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if path == "../stuck" {
			return fs.SkipDir // where they are put together
		}
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

// unquotedCommand reports whether a node adds something to a literal command, or
// formats one other than with the functions that quote.
func unquotedCommand(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op == token.ADD && hasCommand(literalBefore(n.X)) && !isLiteral(n.Y)
	case *ast.CallExpr:
		if function, ok := n.Fun.(*ast.SelectorExpr); ok && (function.Sel.Name == "Shellf" || function.Sel.Name == "Kubectlf") {
			return false
		}
		for _, arg := range n.Args[:max(0, len(n.Args)-1)] {
			if isLiteral(arg) && commandVerb.MatchString(literalBefore(arg)) {
				return true
			}
		}
	}
	return false
}

// commandVerb is a verb of package fmt behind the beginning of a command.
var commandVerb = regexp.MustCompile(`(kubectl|etcdctl|printf) .*%[^%]`)

// hasCommand reports whether a command begins in a text, with more than its program.
func hasCommand(text string) bool {
	for _, program := range []string{"kubectl ", "etcdctl ", "printf "} {
		if strings.Contains(text, program) && text != program {
			return true
		}
	}
	return false
}

// literalBefore is the literal text in which an expression ends, empty where it ends
// in something else.
func literalBefore(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		e = sum.Y
	}
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		return strings.Trim(literal.Value, "\"`")
	}
	return ""
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

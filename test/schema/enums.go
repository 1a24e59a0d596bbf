package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readEnums finds the string types of a package whose values are constants, with their values.
func readEnums(folder string) (map[string][]any, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	enums := map[string][]any{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the constants of %s: %w", folder, err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok {
				addConstants(enums, spec)
			}
			return true
		})
	}
	return enums, nil
}

// addConstants adds the constants of one line: Blocked Verdict = "Blocked".
func addConstants(enums map[string][]any, spec *ast.ValueSpec) {
	of, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		// The empty value stands for a field that is left out.
		if text, err := strconv.Unquote(literal.Value); err == nil && text != "" {
			enums[of.Name] = append(enums[of.Name], text)
		}
	}
}

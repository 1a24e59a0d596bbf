package cmd

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Columns look as those of kubectl get.
func TestColumns(t *testing.T) {
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{
		{Object: map[string]any{"name": "a", "finalizers": []any{"x", "y"}, "cause": map[string]any{"summary": "\x1b[2J"}}},
		{Object: map[string]any{"name": "b", "missing": true}},
	}}
	forged := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{{Object: map[string]any{"name": "a\tb\nc"}}}}
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "columns")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return "custom-columns-file=" + path
	}
	for name, test := range map[string]struct {
		format, apart string
		bare          bool
		of            *unstructured.UnstructuredList
		want          string
	}{
		"paths of all kinds":   {format: "custom-columns=A:name,B:.name,C:{name},D:{.name}", want: "A     B     C     D\na     a     a     a\nb     b     b     b\n"},
		"what does not exist":  {format: "custom-columns=A:.missing", want: "A\n<none>\ntrue\n"},
		"lists":                {format: "custom-columns=A:.finalizers[*],B:.finalizers", want: "A        B\nx,y      [x y]\n<none>   <none>\n"},
		"no path at all":       {format: "custom-columns=A:", want: "A\n<none>\n<none>\n"},
		"without headers":      {format: "custom-columns=A:.name", bare: true, want: "a\nb\n"},
		"columns in a flag":    {format: "custom-columns", apart: "A:.name", want: "A\na\nb\n"},
		"columns in a file":    {format: file("A  B\n.name {.missing}\n"), want: "A     B\na     <none>\nb     true\n"},
		"a dangerous value":    {format: "custom-columns=A:.cause.summary", want: "A\n\\u001b[2J\n<none>\n"},
		"a value of lines":     {format: "custom-columns=A:.name", of: forged, want: "A\na\\u0009b\\u000ac\n"},
		"another format":       {format: "tree", want: ""},
		"no columns":           {format: "custom-columns", want: "error: custom-columns format specified but no custom columns given"},
		"a header alone":       {format: "custom-columns=A", want: "error: unexpected custom-columns spec: A, expected <header>:<json-path-expr>"},
		"braces in braces":     {format: "custom-columns=A:{{x}}", want: `error: reading custom-columns=A:{{x}}: unexpected path "{{x}}", expected .name1.name2 or {.name1.name2}`},
		"a broken path":        {format: "custom-columns=A:.x[", want: "error: reading custom-columns=A:.x[: unterminated array"},
		"a file with one line": {format: file("A"), want: "error: reading the columns: 1 headers in the first line and 0 paths in the second do not match"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p, err := columnsPrinter(test.format, test.apart, test.bare)
			if err == nil && p != nil {
				err = p.PrintObj(cmp.Or(test.of, list), &out)
			}
			got := out.String()
			if err != nil {
				got = "error: " + err.Error()
			}
			if strings.TrimRight(got, " ") != test.want {
				t.Errorf("it prints\n%s\nnot\n%s", got, test.want)
			}
		})
	}
}

package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// columns prints what kubectl get prints with -o custom-columns
// (k8s.io/kubectl/pkg/cmd/get/customcolumn.go). kubectl's own printer lies in
// the middle of kubectl get, which would double the time that every command
// takes to start.
type columns struct {
	headers   []string
	paths     []*jsonpath.JSONPath
	noHeaders bool
}

const (
	columnsFormat     = "custom-columns"
	columnsFileFormat = "custom-columns-file"
)

// columnsPrinter is the printer of a format such as custom-columns=A:.b, nil
// where the format is another. The columns may stand apart from the format.
func columnsPrinter(format, columnsSpec string, noHeaders bool) (printers.ResourcePrinter, error) {
	name, spec, _ := strings.Cut(format, "=")
	if columnsSpec != "" {
		spec = columnsSpec
	}
	switch {
	case name != columnsFormat && name != columnsFileFormat:
		return nil, nil
	case spec == "":
		return nil, errors.New("custom-columns format specified but no custom columns given")
	case name == columnsFileFormat:
		content, err := os.ReadFile(spec)
		if err != nil {
			return nil, fmt.Errorf("reading the columns: %w", err)
		}
		return parseColumnsFile(string(content))
	}
	c := &columns{noHeaders: noHeaders}
	for part := range strings.SplitSeq(spec, ",") {
		header, path, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("unexpected custom-columns spec: %s, expected <header>:<json-path-expr>", part)
		}
		if err := c.add(header, path); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// parseColumnsFile reads a line of headers and a line of paths.
func parseColumnsFile(content string) (*columns, error) {
	first, rest, _ := strings.Cut(content, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	headers, paths := strings.Fields(first), strings.Fields(second)
	if len(headers) == 0 || len(headers) != len(paths) {
		return nil, fmt.Errorf("reading the columns: %d headers in the first line and %d paths in the second do not match", len(headers), len(paths))
	}
	c := &columns{}
	for i := range headers {
		if err := c.add(headers[i], paths[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// pathPattern is a path as people write it: with or without braces and the first dot.
var pathPattern = regexp.MustCompile(`^\{\.?([^{}]+)\}$|^\.?([^{}]+)$`)

func (c *columns) add(header, path string) error {
	parser, err := parsePath(path)
	if err != nil {
		return fmt.Errorf("reading custom-columns=%s:%s: %w", header, path, err)
	}
	c.headers, c.paths = append(c.headers, header), append(c.paths, parser)
	return nil
}

// parsePath reads a path to a field. An empty one leads to nothing.
func parsePath(path string) (*jsonpath.JSONPath, error) {
	m := pathPattern.FindStringSubmatch(path)
	if path != "" && m == nil {
		return nil, fmt.Errorf("unexpected path %q, expected .name1.name2 or {.name1.name2}", path)
	}
	whole := ""
	if m != nil {
		whole = "{." + m[1] + m[2] + "}"
	}
	parser := jsonpath.New("path").AllowMissingKeys(true)
	return parser, parser.Parse(whole)
}

// PrintObj prints an object, or the objects of a list, a line each.
func (c *columns) PrintObj(object runtime.Object, out io.Writer) error {
	objects := []runtime.Object{object}
	if meta.IsListType(object) {
		var err error
		if objects, err = meta.ExtractList(object); err != nil {
			return err
		}
	}
	var rows [][]string
	if !c.noHeaders {
		rows = append(rows, c.headers)
	}
	for _, item := range objects {
		cells := make([]string, len(c.paths))
		for i, path := range c.paths {
			var err error
			if cells[i], err = cell(item, path); err != nil {
				return err
			}
		}
		rows = append(rows, cells)
	}
	columns := report.ColumnWriter{Gap: 3, MinWidth: 6} // as kubectl's own (k8s.io/cli-runtime/pkg/printers/tabwriter.go)
	return columns.Write(out, rows)
}

// cell is what a path finds in an object.
func cell(object runtime.Object, path *jsonpath.JSONPath) (string, error) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return "", fmt.Errorf("%T has no columns", object)
	}
	found, err := path.FindResults(u.Object)
	if err != nil {
		return "", err
	}
	var values []string
	for _, results := range found {
		for _, value := range results {
			values = append(values, stuck.EscapeLine(fmt.Sprint(value.Interface())))
		}
	}
	if len(found) == 0 || len(found[0]) == 0 {
		values = append([]string{"<none>"}, values...)
	}
	return strings.Join(values, ","), nil
}

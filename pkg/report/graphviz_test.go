package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Graphviz draws the nodes and edges that are meant, and shows the letters that the cluster holds.
func TestGraphvizDrawsTheGraph(t *testing.T) {
	for name, test := range map[string]struct {
		diagnoses    []*stuck.Diagnosis
		nodes, edges int
		shows        []string
	}{
		"names that look like a graph": {
			[]*stuck.Diagnosis{maliciousDiagnosis()},
			3, 4,
			[]string{`widget.example.com/w"]; n0 -> n0 [label="`, `its webhook says "no\n" <script>alert(1)</script> #quot; &amp;\u000a  n1 --> n0`},
		},
		"many similar objects": {[]*stuck.Diagnosis{terminatingNamespace(stuckWidgets(20)...)}, 3, 2, []string{"20 widgets.example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			drawing := drawDot(t, output(t, func(out io.Writer) error { return report.Dot(out, test.diagnoses) }))
			if drawing.nodes != test.nodes || drawing.edges != test.edges {
				t.Errorf("%d nodes and %d edges are drawn, not %d and %d", drawing.nodes, drawing.edges, test.nodes, test.edges)
			}
			for _, text := range test.shows {
				if !slices.Contains(drawing.texts, text) {
					t.Errorf("%q is not among the texts: %q", text, drawing.texts)
				}
			}
		})
	}
}

// svgDrawing is what Graphviz has drawn.
type svgDrawing struct {
	nodes, edges int
	texts        []string
}

// drawDot runs Graphviz. Where all tools are said to be there, that it is not installed is a failure.
func drawDot(t *testing.T, graph string) svgDrawing {
	t.Helper()
	dot, err := exec.LookPath("dot")
	if err != nil {
		if os.Getenv("TEST_TOOLS") == "all" {
			t.Fatal("graphviz is not installed")
		}
		t.Skip("graphviz is not installed")
	}
	command := exec.CommandContext(t.Context(), dot, "-Tsvg")
	command.Stdin = strings.NewReader(graph)
	var warnings bytes.Buffer
	command.Stderr = &warnings
	svg, err := command.Output()
	if err != nil || strings.Contains(warnings.String(), "syntax") {
		t.Fatalf("dot -Tsvg: %v: %s", err, warnings.String())
	}
	var out svgDrawing
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	decoder.Strict = false // a document type is before the drawing
	for {
		token, err := decoder.Token()
		if err == io.EOF { //nolint:errorlint // the decoder returns it as it is
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch class := attribute(element, "class"); {
		case class == "node":
			out.nodes++
		case class == "edge":
			out.edges++
		case element.Name.Local == "text":
			var text string
			if err := decoder.DecodeElement(&text, &element); err != nil {
				t.Fatal(err)
			}
			out.texts = append(out.texts, strings.ReplaceAll(text, "\u00a0", " "))
		}
	}
}

func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

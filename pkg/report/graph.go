package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Dot writes what waits for what as a graph for Graphviz.
func Dot(out io.Writer, root *stuck.Diagnosis) error {
	g := newGraph(root)
	var b strings.Builder
	b.WriteString("digraph stuck {\n  rankdir=LR\n  node [shape=box]\n")
	for i, d := range g.nodes {
		fmt.Fprintf(&b, "  n%d [label=%q]\n", i, label(d, "\n"))
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d -> n%d\n", e[0], e[1])
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// Mermaid writes the same for Mermaid, which many places that show Markdown
// can draw.
func Mermaid(out io.Writer, root *stuck.Diagnosis) error {
	g := newGraph(root)
	var b strings.Builder
	b.WriteString("graph LR\n")
	for i, d := range g.nodes {
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, strings.ReplaceAll(mermaidEscaper.Replace(label(d, "\n")), "\n", "<br>"))
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", e[0], e[1])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// mermaidEscaper writes out what means something to Mermaid, or to the HTML that it
// makes (https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters).
var mermaidEscaper = strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;")

// graph numbers what is stuck and says what waits for what.
type graph struct {
	nodes []*stuck.Diagnosis
	edges [][2]int
}

func newGraph(root *stuck.Diagnosis) graph {
	g := graph{nodes: root.All()}
	number := map[*stuck.Diagnosis]int{}
	for i, d := range g.nodes {
		number[d] = i
	}
	for i, d := range g.nodes {
		for _, w := range d.WaitsFor {
			g.edges = append(g.edges, [2]int{i, number[w]})
		}
	}
	return g
}

func label(d *stuck.Diagnosis, newline string) string {
	lines := []string{d.Object.Ref(), string(printedVerdict(d)), causeSummary(d)}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), newline)
}

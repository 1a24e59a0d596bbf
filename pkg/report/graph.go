package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Dot writes what waits for what as a graph for Graphviz. Similar objects are one node.
func Dot(out io.Writer, root *stuck.Diagnosis) error {
	g := newGraph(root)
	var b strings.Builder
	b.WriteString("digraph stuck {\n  rankdir=LR\n  node [shape=box]\n")
	for i, node := range g.nodes {
		fmt.Fprintf(&b, "  n%d [label=%q]\n", i, label(node))
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
	for i, node := range g.nodes {
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, strings.ReplaceAll(mermaidEscaper.Replace(label(node)), "\n", "<br>"))
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", e[0], e[1])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// mermaidEscaper writes out what means something to Mermaid, or to the HTML that it
// makes (https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters).
var mermaidEscaper = strings.NewReplacer("#", "#35;", `"`, "#quot;", "`", "#96;", "<", "#lt;", ">", "#gt;", "&", "#amp;")

// graph numbers groups of similar objects, and has an edge where an object of one waits for
// an object of another.
type graph struct {
	nodes []stuck.Group
	edges [][2]int
}

func newGraph(root *stuck.Diagnosis) graph {
	g := graph{nodes: append([]stuck.Group{{root}}, stuck.GroupSimilar(root.All()[1:])...)}
	number := map[*stuck.Diagnosis]int{}
	for i, node := range g.nodes {
		for _, d := range node {
			number[d] = i
		}
	}
	drawn := map[[2]int]bool{}
	for i, node := range g.nodes {
		for _, d := range node {
			for _, w := range d.WaitsFor {
				if edge := [2]int{i, number[w]}; !drawn[edge] {
					drawn[edge] = true
					g.edges = append(g.edges, edge)
				}
			}
		}
	}
	return g
}

func label(node stuck.Group) string {
	first := node.First()
	lines := []string{node.String(), string(printedVerdict(first)), causeSummary(first)}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

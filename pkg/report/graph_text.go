package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Dot writes what waits for what as a graph for Graphviz. Many objects with one cause are one
// node, and what is at fault is marked.
func Dot(out io.Writer, roots []*stuck.Diagnosis) error {
	g := newGraph(roots)
	var b strings.Builder
	b.WriteString("digraph stuck {\n  rankdir=LR\n  node [shape=box]\n")
	for i, node := range g.nodes {
		attributes := ""
		if len(node.group) == 0 {
			attributes += ", shape=octagon"
		}
		if node.culprit {
			attributes += fmt.Sprintf(`, penwidth=2, color=%q`, verdictColor(node.verdict))
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\"%s]\n", i, dotEscaper.Replace(strings.Join(node.label(), "\n")), attributes)
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d -> n%d\n", e[0], e[1])
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// dotEscaper writes out what means something in a string of Graphviz, which knows the
// entities of HTML (https://graphviz.org/doc/info/lang.html).
var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "&", "&amp;")

// Mermaid writes the same for Mermaid, which many places that show Markdown
// can draw.
func Mermaid(out io.Writer, roots []*stuck.Diagnosis) error {
	g := newGraph(roots)
	var b strings.Builder
	b.WriteString("graph LR\n")
	for i, node := range g.nodes {
		open, end := "[", "]"
		if len(node.group) == 0 {
			open, end = "{{", "}}"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, open, strings.ReplaceAll(mermaidEscaper.Replace(strings.Join(node.label(), "\n")), "\n", "<br>"), end)
		if node.culprit {
			fmt.Fprintf(&b, "  style n%d stroke:%s,stroke-width:3px\n", i, verdictColor(node.verdict))
		}
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

// verdictColor marks a culprit: red where it holds objects up, yellow where that is not known,
// and green where it works on them.
func verdictColor(v stuck.Verdict) string {
	switch v {
	case stuck.Progressing:
		return "#1a7f37"
	case stuck.Unknown:
		return "#9a6700"
	}
	return "#cf222e"
}

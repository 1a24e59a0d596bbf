package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// graph is what waits for what, and what is at fault. Its nodes are objects, of which many with
// one cause are one node, and culprits.
type graph struct {
	nodes []graphNode
	edges [][2]int
}

// graphNode is a group of objects, or what is at fault for others.
type graphNode struct {
	title string
	// verdict is that of the objects, or what the culprit means for those that it holds.
	verdict stuck.Verdict
	// text says why.
	text string
	// group are the objects, empty where the node is a culprit that is none of them.
	group stuck.Group
	// culprit says that the node is at fault.
	culprit bool
}

// label is what stands in a node, a line each.
func (n graphNode) label() []string {
	lines := []string{n.title, string(n.verdict), n.text}
	if len(n.group) == 0 {
		lines = []string{n.title, n.text}
	}
	for i, line := range lines {
		lines[i] = stuck.EscapeLine(line)
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// graphBuilder makes a graph.
type graphBuilder struct {
	graph
	// numbers are the nodes of the objects, and objects the same by what a finding names.
	numbers map[*stuck.Diagnosis]int
	objects map[stuck.Culprit]int
	// culprits are the nodes of what is not an object of the graph.
	culprits map[stuck.Culprit]int
	drawn    map[[2]int]bool
	// withNamespace says that the objects are in several namespaces.
	withNamespace bool
}

// newGraph has an edge where an object of one node waits for an object of another, or is held
// by a culprit.
func newGraph(roots []*stuck.Diagnosis) graph {
	b := graphBuilder{
		numbers: map[*stuck.Diagnosis]int{}, objects: map[stuck.Culprit]int{}, culprits: map[stuck.Culprit]int{}, drawn: map[[2]int]bool{},
	}
	all := allOf(roots)
	b.withNamespace = len(namespaces(all)) > 1
	for _, group := range foldByCause(all, len(roots) == 1) {
		for _, d := range group {
			b.numbers[d] = len(b.nodes)
			c := d.Object.Culprit()
			b.objects[c] = len(b.nodes)
			c.APIVersion = "" // a finding need not know it
			b.objects[c] = len(b.nodes)
		}
		b.nodes = append(b.nodes, b.newNode(group))
	}
	for i, node := range slices.Clone(b.nodes) {
		for _, d := range node.group {
			for _, w := range d.WaitsFor {
				b.connect(i, b.numbers[w])
			}
		}
		b.addCulprits(i, node.group)
	}
	return b.graph
}

// allOf are diagnoses and all that they wait for, each once.
func allOf(roots []*stuck.Diagnosis) []*stuck.Diagnosis {
	if len(roots) == 1 {
		return roots[0].All()
	}
	return (&stuck.Diagnosis{WaitsFor: roots}).All()[1:]
}

// namespaces are those of objects.
func namespaces(diagnoses []*stuck.Diagnosis) []string {
	var out []string
	for _, d := range diagnoses {
		if name := d.Object.Namespace; name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (b *graphBuilder) newNode(g stuck.Group) graphNode {
	first := g.First()
	node := graphNode{title: g.String(), verdict: printedVerdict(first), text: causeSummary(first), group: g}
	if slices.ContainsFunc(g, func(d *stuck.Diagnosis) bool { return causeSummary(d) != node.text }) {
		node.text = causeID(first)
	}
	switch in := namespaces(g); {
	case len(in) > 1:
		node.title += fmt.Sprintf(" in %d namespaces", len(in))
	case b.withNamespace:
		node.title += stuck.InNamespace(first.Object.Namespace)
	}
	return node
}

func (b *graphBuilder) connect(from, to int) {
	if edge := [2]int{from, to}; !b.drawn[edge] {
		b.drawn[edge] = true
		b.edges = append(b.edges, edge)
	}
}

// blame is a finding's verdict on what it names.
type blame struct {
	stuck.Culprit
	cause   string
	verdict stuck.Verdict
}

// addCulprits adds what holds the objects of a node. What is an object of the graph is marked.
func (b *graphBuilder) addCulprits(node int, g stuck.Group) {
	var others []blame
	for _, d := range g {
		for _, f := range d.Findings {
			number, known := b.objects[f.BlockedBy]
			switch {
			case f.IsLink() || f.BlockedBy.Name == "":
			case blamesObject(d.Object, f):
				b.nodes[node].culprit = true
			case known:
				b.nodes[number].culprit = true
				b.connect(node, number)
			default:
				others = append(others, blame{f.BlockedBy, f.Cause, f.Verdict})
			}
		}
	}
	for _, same := range stuck.GroupBy(others, func(o blame) blame { return blame{stuck.Culprit{Kind: o.Kind}, o.cause, o.verdict} }) {
		distinct := stuck.GroupBy(same, func(o blame) blame { return o })
		if len(distinct) > stuck.MaxUngrouped {
			b.connect(node, len(b.nodes))
			b.addCulprit(same[0], fmt.Sprintf("%d objects of kind %s", len(distinct), same[0].Kind))
			continue
		}
		for _, one := range distinct {
			b.connect(node, b.culpritNode(one[0]))
		}
	}
}

// culpritNode is the number of the node of a culprit.
func (b *graphBuilder) culpritNode(o blame) int {
	number, ok := b.culprits[o.Culprit]
	if !ok {
		number = len(b.nodes)
		b.culprits[o.Culprit] = number
		b.addCulprit(o, o.String())
	} else if node := &b.nodes[number]; !slices.Contains(strings.Split(node.text, ", "), o.cause) {
		node.text += ", " + o.cause
		node.verdict = stuck.MoreCautious(node.verdict, o.verdict)
	}
	return number
}

func (b *graphBuilder) addCulprit(o blame, title string) {
	b.nodes = append(b.nodes, graphNode{title: title, verdict: o.verdict, text: o.cause, culprit: true})
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// picture is a graph as SVG.
type picture struct {
	Width, Height int
	Nodes         []pictureNode
	Edges         []pictureEdge
}

// pictureNode is a box with lines of text.
type pictureNode struct {
	X, Y, Width, Height int
	// Class says what the node means: its verdict, and whether it is at fault.
	Class string
	// Title is the whole text.
	Title string
	Lines []pictureLine
	// Issue is the number of the first cause that holds the objects, 0 where there is none.
	Issue int
}

// number writes the numbers of causes at the end of the line of the verdict.
func (n *pictureNode) number(issues []int) {
	i := slices.IndexFunc(n.Lines, func(line pictureLine) bool { return line.Class == "verdict" })
	if len(issues) == 0 || i < 0 {
		return
	}
	n.Issue = issues[0]
	text := ""
	for _, issue := range issues[:min(len(issues), maxNames)] {
		text += fmt.Sprintf("[%d]", issue)
	}
	n.Lines = append(n.Lines, pictureLine{X: nodeWidth - nodePadding, Y: n.Lines[i].Y, Class: "number", Text: text})
}

// pictureLine is a line of a text, with the class of its letters.
type pictureLine struct {
	X, Y        int
	Class, Text string
}

// Fits reports whether the picture can be scaled to the width of a page and still be read.
func (p picture) Fits() bool { return p.Width <= 1600 }

// pictureEdge is a line, and the arrow at its end, as SVG paths.
type pictureEdge struct{ Line, Arrow string }

// The measures of a node, whose letters are up to 8 wide.
const (
	nodeWidth   = 256
	nodePadding = 10
	lineHeight  = 16
	// nameColumns and textColumns are how many letters stand in a line of a name, which is
	// printed whole, and of a text, of which maxTextLines lines are.
	nameColumns  = 32
	textColumns  = 36
	maxTextLines = 3
)

// draw draws a graph. The issues give the numbers of causes.
func draw(g graph, issues []Issue) picture {
	numbers := map[*stuck.Diagnosis][]int{}
	for i, issue := range issues {
		for _, d := range issue.holds {
			numbers[d] = append(numbers[d], i+1)
		}
	}
	var nodes []pictureNode
	var heights []int
	for _, n := range g.nodes {
		node := newPictureNode(n)
		if len(n.group) > 0 {
			node.number(numbers[n.group.First()])
		}
		nodes, heights = append(nodes, node), append(heights, node.Height)
	}
	l := layOut(heights, nodeWidth, g.edges)
	p := picture{Width: l.width, Height: l.height}
	for i, node := range nodes {
		p.Nodes = append(p.Nodes, node.movedTo(l.corners[i]))
	}
	for i, e := range g.edges {
		if e[0] == e[1] {
			p.Edges = append(p.Edges, loop(p.Nodes[e[0]]))
		} else {
			p.Edges = append(p.Edges, newPictureEdge(l.routes[i]))
		}
	}
	return p
}

func newPictureNode(n graphNode) pictureNode {
	label := n.label()
	out := pictureNode{Width: nodeWidth, Class: "node " + verdictClass(n.verdict), Title: strings.Join(label, "\n")}
	if n.culprit {
		out.Class += " culprit"
	}
	if len(n.group) == 0 {
		out.Class += " thing"
	}
	add := func(class string, lines []string) {
		for _, line := range lines {
			out.Lines = append(out.Lines, pictureLine{X: nodePadding, Y: nodePadding + lineHeight*len(out.Lines) + lineHeight*3/4, Class: class, Text: line})
		}
	}
	add("name", breakName(label[0], nameColumns))
	for _, line := range label[1:] {
		if line == string(n.verdict) && len(n.group) > 0 {
			add("verdict", []string{line})
			continue
		}
		lines := breakName(line, textColumns)
		if len(lines) > maxTextLines {
			lines = append(lines[:maxTextLines-1], Cut(lines[maxTextLines-1], textColumns-len("..."))+"...")
		}
		add("text", lines)
	}
	out.Height = 2*nodePadding + lineHeight*len(out.Lines)
	return out
}

// breakName is a name in lines of some columns, whole, and broken behind what separates its
// parts where that is possible.
func breakName(name string, columns int) []string {
	var lines []string
	name = namespaceFlag.ReplaceAllString(name, "-n"+noBreakSpace+"$1")
	for exceeds(name, columns) {
		end, best := 0, 0
		for i, r := range name {
			if displayWidth(name[:i]+string(r)) > columns {
				break
			}
			end = i + len(string(r))
			if strings.ContainsRune(" /.-_:", r) && !strings.HasPrefix(name[end:], "n"+noBreakSpace) {
				best = end
			}
		}
		if best > 0 {
			end = best
		}
		lines, name = append(lines, strings.TrimRight(name[:end], " ")), strings.TrimLeft(name[end:], " ")
	}
	lines = append(lines, name)
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, noBreakSpace, " ")
	}
	return lines
}

func (n pictureNode) movedTo(corner point) pictureNode {
	n.X, n.Y = corner.x, corner.y
	for i := range n.Lines {
		n.Lines[i].X, n.Lines[i].Y = n.Lines[i].X+corner.x, n.Lines[i].Y+corner.y
	}
	return n
}

// arrowLength is how long the tip of an edge is.
const arrowLength = 8

// newPictureEdge leads through points, which come in pairs: the space between two columns is
// crossed in a curve, and a column straight.
func newPictureEdge(points []point) pictureEdge {
	end, before := points[len(points)-1], points[len(points)-2]
	tip := arrowLength
	if before.x > end.x { // it leads back
		tip = -arrowLength
	}
	out := pictureEdge{Arrow: fmt.Sprintf("M%d %dl%d -4v8z", end.x, end.y, -tip)}
	points[len(points)-1].x -= tip
	var line strings.Builder
	fmt.Fprintf(&line, "M%d %d", points[0].x, points[0].y)
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		middle := (from.x + to.x) / 2
		fmt.Fprintf(&line, "C%d %d %d %d %d %d", middle, from.y, middle, to.y, to.x, to.y)
	}
	out.Line = line.String()
	return out
}

// loop leads from a node to itself.
func loop(n pictureNode) pictureEdge {
	x, y := n.X+n.Width, n.Y+n.Height/2
	return pictureEdge{
		Line:  fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x, y-8, x+32, y-16, x+32, y+16, x+arrowLength, y+8),
		Arrow: fmt.Sprintf("M%d %dl%d -4v8z", x, y+8, arrowLength),
	}
}

// verdictClass is the class of what has a verdict.
func verdictClass(v stuck.Verdict) string {
	switch v {
	case stuck.Blocked, stuck.ControllerGone:
		return "bad"
	case stuck.Progressing:
		return "good"
	case stuck.Unknown:
		return "unknown"
	}
	return "none"
}

package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxBranches is how many lines one object may take under another before the rest is
// only counted: an explanation is to fit on a screen.
const maxBranches = 12

// tree draws what waits for what, with the numbers of the causes, nothing where nothing waits.
func tree(root *stuck.Diagnosis, blocks []*causeBlock) []string {
	if len(root.WaitsFor) == 0 {
		return nil
	}
	t := &treeWriter{path: map[*stuck.Diagnosis]bool{root: true}, drawn: map[*stuck.Diagnosis]bool{root: true}, numbers: causeNumbers(blocks)}
	t.rows = append(t.rows, [3]string{root.Object.Ref(), t.numbers[root]})
	t.addChildren(root, "")
	return t.lines()
}

// causeNumbers are the numbers of the causes of each object, as they are printed.
func causeNumbers(blocks []*causeBlock) map[*stuck.Diagnosis]string {
	out := map[*stuck.Diagnosis]string{}
	for i, c := range blocks {
		for _, part := range c.parts {
			for _, d := range part.group {
				out[d] += fmt.Sprintf("[%d]", i+1)
			}
		}
	}
	return out
}

type treeWriter struct {
	// rows are objects, the numbers of their causes, and what is said of each.
	rows [][3]string
	// path are those above the line, drawn those whose branches stand
	// somewhere: each is drawn once, however many wait for it.
	path, drawn map[*stuck.Diagnosis]bool
	numbers     map[*stuck.Diagnosis]string
}

func (t *treeWriter) addChildren(d *stuck.Diagnosis, indent string) {
	groups := stuck.GroupSimilar(d.WaitsFor)
	for i, g := range groups {
		if i == maxBranches {
			t.rows = append(t.rows, [3]string{fmt.Sprintf("%s└─ and %d more (-o json lists all)", indent, countObjects(groups[i:]))})
			return
		}
		branch, childIndent := "├─ ", "│  "
		if i == len(groups)-1 {
			branch, childIndent = "└─ ", "   "
		}
		first := g.First()
		t.rows = append(t.rows, [3]string{indent + branch + g.String(), t.numbers[first], t.label(first)})
		if t.drawn[first] {
			continue
		}
		t.drawn[first], t.path[first] = true, true
		t.addChildren(first, indent+childIndent)
		delete(t.path, first)
	}
}

// lines are the rows with their columns aligned, unless that takes more than is comfortable to
// read.
func (t *treeWriter) lines() []string {
	var columns [3]int
	for i, row := range t.rows {
		for j, cell := range row {
			t.rows[i][j] = stuck.EscapeLine(cell)
			if row[1] != "" || row[2] != "" { // what stands alone needs no column
				columns[j] = max(columns[j], displayWidth(t.rows[i][j]))
			}
		}
	}
	if columns[0]+columns[1]+columns[2]+2*len("  ") > maxWidth {
		columns[0] = 0
	}
	var lines []string
	for _, row := range t.rows {
		line := padRight(row[0], columns[0])
		if columns[1] > 0 {
			line += "  " + padRight(row[1], columns[1])
		}
		lines = append(lines, strings.TrimRight(line+"  "+row[2], " "))
	}
	return lines
}

// countObjects is how many objects there are in groups.
func countObjects(groups []stuck.Group) int {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	return n
}

func (t *treeWriter) label(d *stuck.Diagnosis) string {
	switch {
	case t.path[d]:
		return "(waits for itself)"
	case t.drawn[d] && len(d.WaitsFor) > 0:
		return "(see above)"
	case len(d.Object.Finalizers) > 0:
		return strings.Join(d.Object.Finalizers, ", ")
	case len(d.Findings) == 0 && d.Verdict == stuck.Progressing:
		return "(within its grace period)"
	}
	return ""
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxBranches is how many lines one object may take under another before the rest is
// only counted: an explanation is to fit on a screen.
const maxBranches = 12

// tree draws what waits for what, with the numbers of the causes, in lines of a width. It is
// nothing where nothing waits.
func tree(root *stuck.Diagnosis, blocks []*causeBlock, width int) []string {
	if len(root.WaitsFor) == 0 {
		return nil
	}
	t := &treeWriter{path: map[*stuck.Diagnosis]bool{root: true}, drawn: map[*stuck.Diagnosis]bool{root: true}, numbers: causeNumbers(blocks)}
	t.rows = append(t.rows, treeRow{object: root.Object.Ref(), numbers: t.numbers[root]})
	t.addChildren(root, "")
	return t.lines(width)
}

// causeNumbers are the numbers of the causes of each object, as they are printed.
func causeNumbers(blocks []*causeBlock) map[*stuck.Diagnosis]string {
	out := map[*stuck.Diagnosis]string{}
	for i, c := range blocks[:min(len(blocks), maxCauses)] {
		for _, part := range c.parts {
			for _, d := range part.group {
				if number := fmt.Sprintf("[%d]", i+1); !strings.HasSuffix(out[d], number) {
					out[d] += number
				}
			}
		}
	}
	return out
}

// treeRow is an object, the numbers of its causes, and what is said of it.
type treeRow struct {
	object, numbers, label string
	// below is what the line under it begins with, where the label does not fit beside it.
	below string
}

type treeWriter struct {
	rows []treeRow
	// path are those above the line, drawn those whose branches stand
	// somewhere: each is drawn once, however many wait for it.
	path, drawn map[*stuck.Diagnosis]bool
	numbers     map[*stuck.Diagnosis]string
}

func (t *treeWriter) addChildren(d *stuck.Diagnosis, indent string) {
	groups := stuck.GroupSimilar(d.WaitsFor)
	for i, g := range groups {
		if i == maxBranches {
			t.rows = append(t.rows, treeRow{object: fmt.Sprintf("%s└─ and %d more (-o json lists all)", indent, countObjects(groups[i:]))})
			return
		}
		branch, childIndent := "├─ ", "│  "
		if i == len(groups)-1 {
			branch, childIndent = "└─ ", "   "
		}
		first := g.First()
		row := treeRow{object: indent + branch + g.String(), numbers: t.numbers[first], label: t.label(first), below: indent + childIndent}
		if t.drawn[first] {
			t.rows = append(t.rows, row)
			continue
		}
		if len(first.WaitsFor) > 0 {
			row.below += "│"
		}
		t.rows = append(t.rows, row)
		t.drawn[first], t.path[first] = true, true
		t.addChildren(first, indent+childIndent)
		delete(t.path, first)
	}
}

// lines are the rows with their columns aligned. What does not fit so is not aligned, and where
// that does not help either, what is said of an object stands under it.
func (t *treeWriter) lines(width int) []string {
	var objects, numbers int
	for i, row := range t.rows {
		t.rows[i].object, t.rows[i].label = stuck.EscapeLine(row.object), stuck.EscapeLine(row.label)
		if row.numbers != "" || row.label != "" { // what stands alone needs no column
			objects, numbers = max(objects, displayWidth(t.rows[i].object)), max(numbers, displayWidth(row.numbers))
		}
	}
	lines := t.besides(objects, numbers)
	if !fit(lines, width) {
		lines = t.besides(0, 0)
	}
	if fit(lines, width) {
		return lines
	}
	lines = nil
	for _, row := range t.rows {
		lines = append(lines, strings.TrimRight(row.object+"  "+row.numbers, " "))
		if row.label != "" {
			lines = append(lines, padRight(row.below, (displayWidth(row.below)/labelIndent+1)*labelIndent)+row.label)
		}
	}
	return lines
}

// labelIndent is how far a label stands from the branches that lead past it.
const labelIndent = 3

// besides are the rows with their labels beside the objects, in columns of a width.
func (t *treeWriter) besides(objects, numbers int) []string {
	var lines []string
	for _, row := range t.rows {
		line := padRight(row.object, objects)
		if numbers > 0 || row.numbers != "" {
			line += "  " + padRight(row.numbers, numbers)
		}
		lines = append(lines, strings.TrimRight(line+"  "+row.label, " "))
	}
	return lines
}

// fit reports whether no line is wider than a width.
func fit(lines []string, width int) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return displayWidth(line) > width })
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
		return finalizerList(d.Object.Finalizers, ", ")
	case len(d.Findings) == 0 && d.Verdict == stuck.Progressing:
		return "(" + graceEnd(d.Object) + ")"
	}
	return ""
}

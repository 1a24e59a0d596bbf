package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxBranches is how many lines one object may take under another before the rest is
// only counted: an explanation is to fit on a screen.
const maxBranches = 12

// tree draws what waits for what, nothing where nothing does.
func tree(root *stuck.Diagnosis) []string {
	if len(root.WaitsFor) == 0 {
		return nil
	}
	t := &treeWriter{path: map[*stuck.Diagnosis]bool{root: true}, drawn: map[*stuck.Diagnosis]bool{root: true}}
	t.lines = append(t.lines, root.Object.Ref())
	t.addChildren(root, "")
	return t.lines
}

type treeWriter struct {
	lines []string
	// path are those above the line, drawn those whose branches stand
	// somewhere: each is drawn once, however many wait for it.
	path, drawn map[*stuck.Diagnosis]bool
}

func (t *treeWriter) addChildren(d *stuck.Diagnosis, indent string) {
	groups := stuck.GroupSimilar(d.WaitsFor)
	for i, g := range groups {
		if i == maxBranches {
			t.lines = append(t.lines, fmt.Sprintf("%s└─ and %d more (-o json lists all)", indent, countObjects(groups[i:])))
			return
		}
		branch, childIndent := "├─ ", "│  "
		if i == len(groups)-1 {
			branch, childIndent = "└─ ", "   "
		}
		first := g.First()
		t.lines = append(t.lines, indent+branch+g.String()+t.label(first))
		if t.drawn[first] {
			continue
		}
		t.drawn[first], t.path[first] = true, true
		t.addChildren(first, indent+childIndent)
		delete(t.path, first)
	}
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
		return "  (waits for itself)"
	case t.drawn[d] && len(d.WaitsFor) > 0:
		return "  (see above)"
	case len(d.Object.Finalizers) > 0:
		return "  " + strings.Join(d.Object.Finalizers, ", ")
	case len(d.Findings) == 0 && d.Verdict == stuck.Progressing:
		return "  (within its grace period)"
	}
	return ""
}

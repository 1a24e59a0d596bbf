package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// width is how many lines one object may take under another before the rest is
// only counted: an explanation is to fit on a screen.
const width = 12

// tree draws what waits for what, nothing where nothing does.
func tree(root *stuck.Diagnosis) []string {
	if len(root.WaitsFor) == 0 {
		return nil
	}
	t := &branches{path: map[*stuck.Diagnosis]bool{root: true}}
	t.lines = append(t.lines, root.Object.Ref())
	t.under(root, "")
	return t.lines
}

type branches struct {
	lines []string
	path  map[*stuck.Diagnosis]bool
}

func (t *branches) under(d *stuck.Diagnosis, indent string) {
	groups := stuck.Alike(d.WaitsFor)
	for i, g := range groups {
		if i == width {
			t.lines = append(t.lines, fmt.Sprintf("%s└─ and %d more (-o json lists all)", indent, len(groups)-width))
			return
		}
		joint, below := "├─ ", "│  "
		if i == len(groups)-1 {
			joint, below = "└─ ", "   "
		}
		first := g.First()
		t.lines = append(t.lines, indent+joint+g.String()+t.label(first))
		if t.path[first] {
			continue
		}
		t.path[first] = true
		t.under(first, indent+below)
		delete(t.path, first)
	}
}

func (t *branches) label(d *stuck.Diagnosis) string {
	switch {
	case t.path[d]:
		return "  (waits for itself)"
	case len(d.Object.Finalizers) > 0:
		return "  " + strings.Join(d.Object.Finalizers, ", ")
	case len(d.Findings) == 0 && d.Verdict == stuck.Progressing:
		return "  (within its grace period)"
	}
	return ""
}

package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Table is what was found, a line for each object, with those that are alike
// folded into one.
func Table(diagnoses []*stuck.Diagnosis, now time.Time, withNamespace bool) *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: "Object", Type: "string"},
		{Name: "Finalizers", Type: "string"},
		{Name: "Stuck", Type: "string"},
		{Name: "Verdict", Type: "string"},
		{Name: "Cause", Type: "string"},
		{Name: "Culprit", Type: "string", Priority: 1},
		{Name: "Certainty", Type: "string", Priority: 1},
		{Name: "Owner", Type: "string", Priority: 1},
	}}
	if withNamespace {
		table.ColumnDefinitions = append([]metav1.TableColumnDefinition{{Name: "Namespace", Type: "string"}}, table.ColumnDefinitions...)
	}
	for _, g := range stuck.GroupSimilar(diagnoses) {
		cells := rowCells(g, now)
		if withNamespace {
			cells = append([]any{g.First().Object.Namespace}, cells...)
		}
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells(cells)})
	}
	return table
}

// escapeCells keeps each cell in its column and its row.
func escapeCells(cells []any) []any {
	for i, cell := range cells {
		if text, ok := cell.(string); ok {
			cells[i] = stuck.EscapeLine(text)
		}
	}
	return cells
}

func rowCells(g stuck.Group, now time.Time) []any {
	d := g.First()
	age, verdict := "-", "-"
	if d.Object.Deleting() {
		age = duration.HumanDuration(g.MaxStuckDuration(now))
	}
	if printed := printedVerdict(d); printed != "" {
		verdict = string(printed)
	}
	row := []any{g.String(), finalizersText(d.Object), age, verdict, causeSummary(d)}
	culprit, certainty := "-", "-"
	if f, ok := d.PrimaryFinding(); ok {
		culprit, certainty = f.BlockedBy.String(), string(f.Certainty)
	}
	return append(row, culprit, certainty, controllersText(d.Controllers))
}

// RowKey are what a table says of one object, but for the time.
func RowKey(d *stuck.Diagnosis) []string {
	return []string{string(d.Verdict), finalizersText(d.Object), causeSummary(d)}
}

// controllersText names the controllers that should have acted, and reports whether
// they run.
func controllersText(controllers []stuck.Controller) string {
	var names []string
	for _, o := range controllers {
		if o.Workload != nil {
			names = append(names, fmt.Sprintf("%s (alive: %s)", o.Workload, o.Running))
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

func finalizersText(o stuck.Object) string {
	var names []string
	for _, f := range o.SpecFinalizers {
		names = append(names, stuck.SpecFinalizerPrefix+f)
	}
	names = append(names, o.Finalizers...)
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}

// causeSummary is why, in a few words.
func causeSummary(d *stuck.Diagnosis) string {
	f, ok := d.PrimaryFinding()
	switch {
	case ok:
		return f.Message
	case !d.Object.Deleting():
		return "not being deleted"
	case d.Verdict == stuck.Progressing:
		return "within its grace period"
	case len(d.Unexplained) > 0:
		var parts []string
		for _, r := range unexplainedReasons(stuck.Group{d}) {
			parts = append(parts, strings.Join(r.unexplained, " and ")+", "+controllerStatus(r.controllers))
		}
		return "waits for " + strings.Join(parts, "; ")
	}
	return "not known"
}

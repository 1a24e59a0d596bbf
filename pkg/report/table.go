package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TableOptions say how a table shows what was found.
type TableOptions struct {
	Now time.Time
	// WithNamespace adds the namespace of each row.
	WithNamespace bool
	// Wide names some of the objects that share a row.
	Wide  bool
	Names TypeNames
	// Event is what has happened to the objects, where the table is a part of a watch,
	// and adds the columns of one.
	Event Event
}

// Event is what a watch says of an object.
type Event string

// The events of a watch.
const (
	EventStuck   Event = "Stuck"
	EventChanged Event = "Changed"
	EventGone    Event = "Gone"
)

// clockFormat is a time of the day in UTC, as the end of an RFC 3339 time.
const clockFormat = "15:04:05Z"

// noValue stands in a cell that has nothing to say, so that each row has as many words
// in front of it as the next.
const noValue = "-"

// Table is what was found, a line for each object, with those that are similar folded
// into one.
func Table(diagnoses []*stuck.Diagnosis, options TableOptions) *metav1.Table {
	table := &metav1.Table{}
	if options.Event != "" {
		table.ColumnDefinitions = append(table.ColumnDefinitions, columns(0, "Time", "Event")...)
	}
	if options.WithNamespace {
		table.ColumnDefinitions = append(table.ColumnDefinitions, columns(0, "Namespace")...)
	}
	table.ColumnDefinitions = append(table.ColumnDefinitions, columns(0, "Object", "Since", "Verdict", "Cause", "Blocked By")...)
	table.ColumnDefinitions = append(table.ColumnDefinitions, columns(1, "Finalizers", "Certainty", "Controller", "Message")...)
	for _, g := range stuck.GroupSimilar(diagnoses) {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells(rowCells(g, options))})
	}
	return table
}

// columns are columns of text; those with a priority above zero are shown with -o wide
// alone.
func columns(priority int32, names ...string) []metav1.TableColumnDefinition {
	var out []metav1.TableColumnDefinition
	for _, name := range names {
		out = append(out, metav1.TableColumnDefinition{Name: name, Type: "string", Priority: priority})
	}
	return out
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

func rowCells(g stuck.Group, options TableOptions) []any {
	var cells []any
	if options.Event != "" {
		cells = append(cells, options.Now.UTC().Format(clockFormat), strings.ToUpper(string(options.Event)))
	}
	if options.WithNamespace {
		cells = append(cells, orNone(g.First().Object.Namespace))
	}
	since, verdict, cause, blockedBy := noValue, noValue, noValue, noValue
	if g.First().Object.Deleting() {
		since = duration.HumanDuration(g.MaxStuckDuration(options.Now))
	}
	if options.Event != EventGone {
		verdict, cause, blockedBy = orNone(string(printedVerdict(g.First()))), causeText(g.First()), blockedByText(g, options.Names)
	}
	object := options.Names.group(g)
	if len(g) > 1 && options.Wide {
		object += " (" + stuck.JoinFirst(objectNames(g), maxNames) + ")"
	}
	return append(append(cells, object, since, verdict, cause, blockedBy), wideCells(g, options)...)
}

// wideCells are what does not fit on a usual terminal.
func wideCells(g stuck.Group, options TableOptions) []any {
	d := g.First()
	if options.Event == EventGone {
		return []any{noValue, noValue, noValue, noValue}
	}
	certainty := noValue
	if f, ok := d.PrimaryFinding(); ok {
		certainty = string(f.Certainty)
	}
	return []any{finalizersText(d.Object), certainty, controllersText(d.Controllers), causeSummary(d)}
}

// maxNames is how many of the things are named that share a cell.
const maxNames = 3

func objectNames(g stuck.Group) []string {
	var names []string
	for _, d := range g {
		names = append(names, d.Object.Name)
	}
	return names
}

// orNone is a text, or what stands for none.
func orNone(text string) string {
	if text == "" {
		return noValue
	}
	return text
}

// RowKey are what a table says of one object, but for the time.
func RowKey(d *stuck.Diagnosis) []string {
	return []string{string(d.Verdict), stuck.ListKey(finalizerNames(d.Object)), causeText(d), causeSummary(d)}
}

// controllersText names the controllers that should have acted, and reports whether
// they run.
func controllersText(controllers []stuck.Controller) string {
	var names []string
	for _, c := range controllers {
		if c.Workload != nil {
			names = append(names, fmt.Sprintf("%s (healthy: %s)", c.Workload, c.Running))
		}
	}
	return orNone(strings.Join(names, ", "))
}

func finalizersText(o stuck.Object) string { return orNone(finalizerList(finalizerNames(o), ",")) }

// finalizerNames are the finalizers of an object, those of a namespace's spec named as such.
func finalizerNames(o stuck.Object) []string {
	var names []string
	for _, f := range o.SpecFinalizers {
		names = append(names, stuck.SpecFinalizerPrefix+f)
	}
	return append(names, o.Finalizers...)
}

// causeSummary is why, in a sentence.
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
			parts = append(parts, r.waitText())
		}
		return strings.Join(parts, "; ")
	}
	return "not known"
}

// waitText is what an object waits for that no cause explains.
func (r reason) waitText() string {
	return "waits for " + joinFinalizers(r.unexplained) + ", " + controllerStatus(r.controllers)
}

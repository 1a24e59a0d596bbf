package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// HealthText writes a health report for a person: the answer, a table of the checks,
// the problems, those first that block most deletions, the warnings, and what
// could not be checked. Prose is wrapped for a terminal of a width, 0 where it is not known; commands and the table are not.
// A wide report has the details of each check.
func HealthText(out io.Writer, h stuck.Health, width int, wide bool) error {
	w := &healthWriter{width: width}
	w.prose("", "", healthSummary(h))
	w.checks(h.Checks, wide)
	for _, state := range []stuck.State{stuck.Unhealthy, stuck.Warning} {
		for _, p := range problemsByImpact(h, state) {
			w.problem(p)
		}
	}
	w.gaps(slices.Concat(GapLines(h.Gaps), rbacLines(h.Gaps)))
	_, err := io.WriteString(out, w.text.String())
	return err
}

type healthWriter struct {
	text  strings.Builder
	width int
	// event stands before the result of a problem, where the report is a part of a watch.
	event string
}

// results are the states of a check as the table and the problems call them.
var results = map[stuck.State]string{
	stuck.Healthy: "OK", stuck.Incomplete: "INCOMPLETE", stuck.Warning: "WARNING", stuck.Unhealthy: "PROBLEM",
}

func (w *healthWriter) checks(all []stuck.Check, wide bool) {
	header := []string{"CHECK", "RESULT", "SUMMARY"}
	if wide {
		header = append(header, "DETAILS")
	}
	rows := [][]string{header}
	for _, c := range all {
		summary := c.Summary
		if c.Incomplete && c.State() != stuck.Incomplete {
			summary += "; incomplete"
		}
		cells := []string{c.Name, results[c.State()], summary}
		if wide {
			cells = append(cells, orDash(strings.Join(c.Details, "; ")))
		}
		rows = append(rows, cells)
	}
	w.table(rows)
}

// table writes rows in columns.
func (w *healthWriter) table(rows [][]string) {
	w.text.WriteByte('\n')
	const gap = 2
	table := tabwriter.NewWriter(&w.text, 0, 0, gap, ' ', 0)
	for _, cells := range rows {
		for i, cell := range cells {
			cells[i] = stuck.EscapeLine(cell)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	_ = table.Flush() // a strings.Builder takes everything
}

// problem writes one problem, or several of one kind by the first of them.
func (w *healthWriter) problem(p healthProblems) {
	first := p.problems[0]
	w.text.WriteByte('\n')
	message := first.Message
	if others := len(p.problems) - 1; others > 0 {
		message += ", and " + stuck.Count(others, "similar problem")
	}
	label := results[first.State] + "  "
	w.prose(w.event+label, strings.Repeat(" ", len(label)), fmt.Sprintf("%s (%s)", message, p.check))
	if len(p.blocks) > 0 {
		w.prose("  ", "    ", fmt.Sprintf("blocks %s: %s", stuck.Count(len(p.blocks), "deletion"), blockedText(p.blocks)))
	}
	if len(first.Causes) > 0 && len(p.blocks) > 0 {
		w.prose("  ", "    ", "cause: "+strings.Join(first.Causes, ", "))
	}
	for _, line := range first.Evidence {
		w.prose("  - ", "    ", line)
	}
	for _, line := range first.Impact {
		w.prose("  ", "    ", "impact: "+line)
	}
	for _, step := range first.Steps {
		description := step.Description
		if others := len(p.problems) - 1; others > 0 {
			description += fmt.Sprintf(" (and similarly for %s)", stuck.Count(others, "other problem"))
		}
		w.prose("  ", "    ", string(step.Action)+": "+description)
		if step.Command != "" {
			w.line("  " + step.Command)
		}
	}
	if len(p.problems) > 1 {
		w.prose("  ", "    ", "similar (details: -o json): "+subjectNames(p.problems[1:]))
	}
}

func (w *healthWriter) gaps(lines []string) {
	if len(lines) == 0 {
		return
	}
	w.text.WriteString("\nNot checked\n")
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "kubectl ") {
			w.line("  " + line)
			continue
		}
		w.prose("  ", "    ", line)
	}
}

func (w *healthWriter) line(text string) { w.text.WriteString(stuck.EscapeLine(text) + "\n") }

// prose writes a text, wrapped: the first line behind one prefix, the others behind
// another of blanks.
func (w *healthWriter) prose(first, others, text string) {
	w.text.WriteString(wrapProse(first, len(others), text, proseWidth(w.width)))
}

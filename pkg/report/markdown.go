package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// maxMarkdownRows, maxMarkdownIssues and maxMarkdownGraphs keep a report readable, and
	// below the 1 MiB that GitHub takes for the summary of a step
	// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).
	maxMarkdownRows   = 100
	maxMarkdownIssues = 20
	maxMarkdownGraphs = 5
	// maxGraphNodes is how many nodes of a graph can be read.
	maxGraphNodes = 100
)

// Markdown writes a report for a ticket, or for the summary of a pipeline: the answer, a table,
// each cause with its evidence and steps, graphs, and what could not be read.
func Markdown(out io.Writer, r Report) error {
	w := &markdownWriter{}
	w.line("## %s", r.title())
	w.line("\n%s", markdownText(r.Headline))
	w.table(r.Table)
	for n, issue := range r.Issues {
		if n == maxMarkdownIssues {
			w.line("\n%d more causes are not shown.", len(r.Issues)-n)
			break
		}
		w.issue(issue)
	}
	chains := slices.DeleteFunc(slices.Clone(r.Diagnoses), func(d *stuck.Diagnosis) bool { return len(d.WaitsFor) == 0 })
	for _, root := range chains[:min(maxMarkdownGraphs, len(chains))] {
		w.graph(root)
	}
	if lines := GapLines(r.Gaps); len(lines) > 0 {
		w.line("\n### Could not be read\n")
		for _, line := range lines {
			w.line("- %s", markdownText(line))
		}
	}
	_, err := io.WriteString(out, w.text.String())
	return err
}

type markdownWriter struct{ text strings.Builder }

func (w *markdownWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.text, format+"\n", args...)
}

func (w *markdownWriter) table(t *metav1.Table) {
	if t == nil || len(t.Rows) == 0 {
		return
	}
	var columns []int
	header, rule := "|", "|"
	for i, column := range t.ColumnDefinitions {
		if column.Priority == 0 {
			columns = append(columns, i)
			header, rule = header+" "+markdownText(column.Name)+" |", rule+"---|"
		}
	}
	w.line("\n%s\n%s", header, rule)
	for n, row := range t.Rows {
		if n == maxMarkdownRows {
			w.line("\n%d more rows are not shown.", len(t.Rows)-n)
			return
		}
		line := "|"
		for _, i := range columns {
			line += " " + markdownText(fmt.Sprint(row.Cells[i])) + " |"
		}
		w.line("%s", line)
	}
}

func (w *markdownWriter) issue(i Issue) {
	w.line("\n### %s\n\n%s", markdownText(i.Heading()), markdownText(i.Message))
	if affected := i.Affected(); affected != "" {
		w.line("\n%s", markdownText(affected))
	}
	if len(i.Evidence) > 0 {
		w.line("")
	}
	for _, line := range i.Evidence {
		w.line("- %s", markdownText(line))
	}
	for _, step := range i.Steps {
		w.line("\n**%s**: %s", step.Action, markdownText(step.Description))
		if step.Command != "" {
			w.fence("sh", step.Command)
		}
	}
}

// graph draws what an object waits for, unless it is too much to be read.
func (w *markdownWriter) graph(root *stuck.Diagnosis) {
	roots := []*stuck.Diagnosis{root}
	if len(newGraph(roots).nodes) > maxGraphNodes {
		return
	}
	var b strings.Builder
	_ = Mermaid(&b, roots) // a strings.Builder takes everything
	w.fence("mermaid", strings.TrimSuffix(b.String(), "\n"))
}

// fence writes a block of code, between more backticks than are in it.
func (w *markdownWriter) fence(language, code string) {
	marks := "```"
	for strings.Contains(code, marks) {
		marks += "`"
	}
	w.line("\n%s%s\n%s\n%s", marks, language, stuck.EscapeText(code), marks)
}

// markdownEscaper keeps text from meaning anything to Markdown or HTML. A comment keeps "@"
// and "#" from becoming a mention or a reference, which no backslash does.
var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "@<!-- -->", "#", "#<!-- -->",
)

func markdownText(text string) string { return markdownEscaper.Replace(stuck.EscapeLine(text)) }

package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// HealthReport is the document of the health command.
type HealthReport struct {
	APIVersion    string             `json:"apiVersion"`
	Kind          string             `json:"kind"`
	ServerVersion string             `json:"serverVersion"`
	State         stuck.State        `json:"state"`
	Checks        []HealthCheck      `json:"checks"`
	Types         []stuck.TypeHealth `json:"types"`
	Gaps          []stuck.Gap        `json:"gaps"`
}

// HealthCheck is one section of the report.
type HealthCheck struct {
	Check   string      `json:"check"`
	State   stuck.State `json:"state"`
	Summary string      `json:"summary"`
	// Incomplete says that not everything could be looked at, whatever was found.
	Incomplete bool            `json:"incomplete"`
	Findings   []stuck.Problem `json:"findings"`
}

// NewHealthReport is the document of an examination.
func NewHealthReport(h stuck.Health) HealthReport {
	out := HealthReport{
		APIVersion: APIVersion, Kind: "HealthReport", ServerVersion: h.Version, State: h.Worst(),
		Checks: []HealthCheck{}, Types: nonNil(h.Types), Gaps: nonNil(h.Gaps),
	}
	for _, c := range h.Checks {
		check := HealthCheck{Check: c.Name, State: c.State(), Summary: c.Summary, Incomplete: c.Incomplete, Findings: []stuck.Problem{}}
		for _, a := range c.Problems {
			a.Evidence, a.Impact, a.Steps = nonNil(a.Evidence), nonNil(a.Impact), nonNil(a.Steps)
			check.Findings = append(check.Findings, a)
		}
		out.Checks = append(out.Checks, check)
	}
	return out
}

// HealthText writes a health report for a person: what is unhealthy first, then a line
// for each check, then what could not be checked.
func HealthText(out io.Writer, h stuck.Health) error {
	p := &textWriter{}
	p.line("%s", healthSummary(h))
	for _, state := range []stuck.State{stuck.Unhealthy, stuck.Warning} {
		for _, c := range h.Checks {
			for _, group := range groupByReason(c.Problems, state) {
				p.problems(c.Name, group)
			}
		}
	}
	var lines []string
	for _, c := range worstFirst(h.Checks) {
		line := fmt.Sprintf("%-12s %-15s %s", c.Name, c.State(), c.Summary)
		if c.Incomplete && c.State() != stuck.Incomplete {
			line += "; not everything could be seen"
		}
		lines = append(lines, line)
	}
	p.section("Checks", lines)
	p.section("Could not check", slices.Concat(GapLines(h.Gaps), rbacLines(h.Gaps)))
	_, err := io.WriteString(out, p.text.String())
	return err
}

// healthSummary is the first line, which says it all in brief.
func healthSummary(h stuck.Health) string {
	unhealthy, warnings := 0, 0
	for _, c := range h.Checks {
		for _, a := range c.Problems {
			if a.State == stuck.Unhealthy {
				unhealthy++
			} else {
				warnings++
			}
		}
	}
	state, prefix := "all is well", ""
	if h.Narrowed {
		state = "no problem found in what was asked for"
	}
	if len(h.Checks) < h.AvailableChecks {
		state, prefix = "no problem found", fmt.Sprintf("%d of %s run: ", len(h.Checks), stuck.Count(h.AvailableChecks, "check"))
	}
	switch {
	case unhealthy > 0:
		state = "ill, " + stuck.Count(unhealthy, "finding")
	case h.Incomplete():
		state = "nothing ill was found"
	case warnings > 0:
		state = "works"
	}
	if warnings > 0 {
		state += ", " + stuck.Count(warnings, "warning")
	}
	if unhealthy == 0 && h.Incomplete() {
		state += ", but not everything could be read"
	}
	return fmt.Sprintf("list-watch of this %s cluster: %s%s", h.Version, prefix, state)
}

// groupByReason are the problems of a section that are as bad, those of one kind
// together, in the order of the first of each.
func groupByReason(all []stuck.Problem, state stuck.State) [][]stuck.Problem {
	asBad := slices.DeleteFunc(slices.Clone(all), func(p stuck.Problem) bool { return p.State != state })
	return stuck.GroupBy(asBad, func(p stuck.Problem) string { return p.Reason })
}

// problems tells of each of a handful, and of more by the first.
func (p *textWriter) problems(check string, group []stuck.Problem) {
	if len(group) <= stuck.MaxUngrouped {
		for _, a := range group {
			p.problem(check, a, nil)
		}
		return
	}
	p.problem(check, group[0], group[1:])
}

func (p *textWriter) problem(check string, a stuck.Problem, others []stuck.Problem) {
	p.blankLine()
	head := a.Summary
	if a.State == stuck.Warning {
		head = "warning: " + head
	}
	if len(others) > 0 {
		head += fmt.Sprintf(", and %d more like it", len(others))
	}
	p.line("  %s (%s)", head, check)
	for _, line := range a.Evidence {
		p.line("    %s", line)
	}
	for _, line := range a.Impact {
		p.line("    so %s", line)
	}
	for _, step := range a.Steps {
		p.line("    > %s", step.Description)
		if step.Command != "" {
			p.line("      %s", step.Command)
		}
	}
	if len(others) > 0 {
		p.line("    the others (-o json tells of each): %s", subjectNames(others))
	}
}

// subjectNames names the first of many.
func subjectNames(all []stuck.Problem) string {
	const most = 20
	var names []string
	for _, a := range all {
		names = append(names, a.Subject.Name)
	}
	return stuck.JoinFirst(names, most)
}

// worstFirst are the sections, the worst first.
func worstFirst(all []stuck.Check) []stuck.Check {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b stuck.Check) int { return b.State().Rank() - a.State().Rank() })
	return all
}

// HealthTable is what was measured of each type.
func HealthTable(types []stuck.TypeHealth) *metav1.Table {
	table := &metav1.Table{}
	for _, name := range []string{"Type", "List", "Took", "Objects", "Watch", "First", "Informer", "Sync", "Relists", "Errors", "Watchers"} {
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for _, t := range types {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells([]any{
			t.Type, orDash(t.List), secondsText(t.ListSeconds), countText(t.Objects), orDash(t.Watch), secondsText(t.FirstEventSeconds),
			orDash(t.Informer), secondsText(t.SyncSeconds), strconv.Itoa(t.Relists), strconv.Itoa(t.WatchErrors), countText(t.Watchers),
		})})
	}
	return table
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Join(strings.Fields(text), " ")
}

func secondsText(s stuck.Seconds) string {
	if s == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(s), 'f', -1, 64) + "s"
}

func countText[T int | int64](n *T) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(int64(*n), 10)
}

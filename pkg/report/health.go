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
	Findings   []stuck.Ailment `json:"findings"`
}

// Health is the document of an examination.
func Health(h stuck.Health) HealthReport {
	out := HealthReport{
		APIVersion: APIVersion, Kind: "HealthReport", ServerVersion: h.Version, State: h.Worst(),
		Checks: []HealthCheck{}, Types: orEmpty(h.Types), Gaps: orEmpty(h.Gaps),
	}
	for _, c := range h.CheckUps {
		check := HealthCheck{Check: c.Check, State: c.State(), Summary: c.Summary, Incomplete: c.Incomplete, Findings: []stuck.Ailment{}}
		for _, a := range c.Ailments {
			a.Evidence, a.Hurts, a.Fix = orEmpty(a.Evidence), orEmpty(a.Hurts), orEmpty(a.Fix)
			check.Findings = append(check.Findings, a)
		}
		out.Checks = append(out.Checks, check)
	}
	return out
}

// HealthProse writes an examination for a person: what is ill first, then a line
// for each check, then what could not be checked.
func HealthProse(out io.Writer, h stuck.Health) error {
	p := &prose{}
	p.line("%s", diagnosis(h))
	for _, state := range []stuck.State{stuck.Ill, stuck.Doubtful} {
		for _, c := range h.CheckUps {
			for _, alike := range alike(c.Ailments, state) {
				p.ailments(c.Check, alike)
			}
		}
	}
	var lines []string
	for _, c := range sorted(h.CheckUps) {
		line := fmt.Sprintf("%-12s %-15s %s", c.Check, c.State(), c.Summary)
		if c.Incomplete && c.State() != stuck.NotSeen {
			line += "; not everything could be seen"
		}
		lines = append(lines, line)
	}
	p.section("Checks", lines)
	p.section("Could not check", slices.Concat(Gaps(h.Gaps), grant(h.Gaps)))
	_, err := io.WriteString(out, p.text.String())
	return err
}

// diagnosis is the first line, which says it all in brief.
func diagnosis(h stuck.Health) string {
	ill, doubtful := 0, 0
	for _, c := range h.CheckUps {
		for _, a := range c.Ailments {
			if a.State == stuck.Ill {
				ill++
			} else {
				doubtful++
			}
		}
	}
	what := "all is well"
	switch {
	case ill > 0:
		what = "ill, " + plural(ill, "finding")
	case h.Incomplete():
		what = "nothing ill was found"
	case doubtful > 0:
		what = "works"
	}
	if doubtful > 0 {
		what += ", " + plural(doubtful, "warning")
	}
	if ill == 0 && h.Incomplete() {
		what += ", but not everything could be read"
	}
	return fmt.Sprintf("list-watch of this %s cluster: %s", h.Version, what)
}

// alike are the ailments of a section that are as bad, those of one kind
// together, in the order of the first of each.
func alike(all []stuck.Ailment, state stuck.State) [][]stuck.Ailment {
	var out [][]stuck.Ailment
	for _, a := range all {
		if a.State != state {
			continue
		}
		i := slices.IndexFunc(out, func(others []stuck.Ailment) bool { return others[0].Reason == a.Reason })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], a)
	}
	return out
}

// ailments tells of each of a handful, and of more by the first.
func (p *prose) ailments(check string, alike []stuck.Ailment) {
	if len(alike) <= stuck.Handful {
		for _, a := range alike {
			p.ailment(check, a, nil)
		}
		return
	}
	p.ailment(check, alike[0], alike[1:])
}

func (p *prose) ailment(check string, a stuck.Ailment, others []stuck.Ailment) {
	p.gap()
	head := a.Summary
	if a.State == stuck.Doubtful {
		head = "warning: " + head
	}
	if len(others) > 0 {
		head += fmt.Sprintf(", and %d more like it", len(others))
	}
	p.line("  %s (%s)", head, check)
	for _, line := range a.Evidence {
		p.line("    %s", line)
	}
	for _, line := range a.Hurts {
		p.line("    so %s", line)
	}
	for _, step := range a.Fix {
		p.line("    > %s", step.What)
		if step.Command != "" {
			p.line("      %s", step.Command)
		}
	}
	if len(others) > 0 {
		p.line("    the others (-o json tells of each): %s", subjects(others))
	}
}

// subjects names the first of many.
func subjects(all []stuck.Ailment) string {
	const most = 20
	var names []string
	for _, a := range all[:min(most, len(all))] {
		names = append(names, a.Subject.Name)
	}
	text := strings.Join(names, ", ")
	if len(all) > most {
		text += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return text
}

// sorted are the sections, the worst first.
func sorted(all []stuck.CheckUp) []stuck.CheckUp {
	grave := map[stuck.State]int{stuck.Ill: 0, stuck.Doubtful: 1, stuck.NotSeen: 2, stuck.Well: 3}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b stuck.CheckUp) int { return grave[a.State()] - grave[b.State()] })
	return all
}

// HealthTable is what was measured of each type.
func HealthTable(types []stuck.TypeHealth) *metav1.Table {
	table := &metav1.Table{}
	for _, name := range []string{"Type", "List", "Took", "Objects", "Watch", "First", "Informer", "Sync", "Relists", "Errors", "Watchers"} {
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for _, t := range types {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{
			t.Type, dash(t.List), took(t.ListSeconds), count(t.Objects), dash(t.Watch), took(t.FirstSeconds),
			dash(t.Informer), took(t.SyncSeconds), strconv.Itoa(t.Relists), strconv.Itoa(t.WatchErrors), count(t.Watchers),
		}})
	}
	return table
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Join(strings.Fields(text), " ")
}

func took(s stuck.Second) string {
	if s == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(s), 'f', -1, 64) + "s"
}

func count[T int | int64](n *T) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(int64(*n), 10)
}

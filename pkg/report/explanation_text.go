package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ExplanationText writes an explanation for a person: the answer first, then why, then
// what to do, then what force would cost, then what could not be checked.
func ExplanationText(out io.Writer, root *stuck.Diagnosis, gaps []stuck.Gap, now time.Time) error {
	p := &textWriter{now: now}
	if !root.Object.NeedsVerdict() {
		p.line("%s is not being deleted%s", root.Object.Ref(), finalizersNote(root.Object))
	} else {
		p.explain(root)
	}
	p.section("Could not check", slices.Concat(GapLines(gaps), notRuledOutLines(root), rbacLines(gaps)))
	_, err := io.WriteString(out, p.text.String())
	return err
}

type textWriter struct {
	text strings.Builder
	now  time.Time
}

// line writes one line, however many the text of a cluster would make of it.
func (p *textWriter) line(format string, args ...any) {
	p.text.WriteString(stuck.EscapeLine(fmt.Sprintf(format, args...)) + "\n")
}

func (p *textWriter) blankLine() { p.text.WriteByte('\n') }

func (p *textWriter) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.blankLine()
	p.line("%s", title)
	for _, line := range lines {
		p.line("  %s", line)
	}
}

func (p *textWriter) explain(root *stuck.Diagnosis) {
	reasons := reasonsOf(root)
	p.line("%s", p.summary(root, reasons))
	for _, r := range reasons {
		p.blankLine()
		p.line("  %s", r.headline(root))
		for _, line := range r.evidence() {
			p.line("    %s", line)
		}
	}
	p.section("What waits for what", tree(root))
	p.section("Do this first", fixLines(reasons))
	p.section("If it is forced, this stays behind", costLines(root, reasons))
}

// summary is the first line, which says it all in brief.
func (p *textWriter) summary(root *stuck.Diagnosis, reasons []reason) string {
	o := root.Object
	if o.Deleting() && !o.IsStuck(p.now) {
		return fmt.Sprintf("%s is being deleted and within its grace period for another %s: wait",
			o.Ref(), duration.HumanDuration(o.DeletionTime.Sub(p.now)))
	}
	known := 0
	for _, r := range reasons {
		if r.isCause() {
			known++
		}
	}
	verdicts := map[stuck.Verdict]string{
		stuck.Blocked:        "blocked, " + stuck.Count(known, "cause"),
		stuck.ControllerGone: "orphaned, nobody is left to finish it",
		stuck.Progressing:    "in progress, give it a moment",
		stuck.Unknown:        "not fully explained",
	}
	state := "has been Terminating for " + duration.HumanDuration(o.StuckDuration(p.now))
	if !o.Deleting() {
		state = "is a ghost that nobody has deleted"
	}
	return fmt.Sprintf("%s %s: %s", o.Ref(), state, verdicts[root.Verdict])
}

// finalizersNote says what would hold an object if it were deleted.
func finalizersNote(o stuck.Object) string {
	if len(o.Finalizers) == 0 {
		return ""
	}
	return "; it carries " + stuck.Count(len(o.Finalizers), "finalizer") + ": " + strings.Join(o.Finalizers, ", ")
}

// fixLines are the fixes of all reasons, each once: a command that several give is not
// repeated.
func fixLines(reasons []reason) []string {
	var lines []string
	seen := map[stuck.Step]bool{}
	for _, r := range reasons {
		for _, s := range r.steps() {
			key := s
			if s.Command != "" {
				key.Description = ""
			}
			if seen[key] {
				continue
			}
			seen[key] = true
			lines = append(lines, s.Description)
			if s.Command != "" {
				lines = append(lines, "  "+s.Command)
			}
		}
	}
	return lines
}

// costLines are what a forced end would leave behind: of the target itself first,
// then of each thing at the end of a chain.
func costLines(root *stuck.Diagnosis, reasons []reason) []string {
	var costs []stuck.Cost
	for _, f := range root.Findings {
		costs = append(costs, f.OnForce)
	}
	for _, r := range reasons {
		costs = append(costs, r.costs()...)
	}
	var lines []string
	for _, c := range stuck.SortCosts(costs) {
		lines = append(lines, fmt.Sprintf("%s: %s", c.Leaves.Words(), c.Description))
	}
	return lines
}

// notRuledOutLines names the causes that were not found and that a gap stands
// before.
func notRuledOutLines(root *stuck.Diagnosis) []string {
	found := map[string]bool{}
	for _, d := range root.All() {
		for _, f := range d.Findings {
			found[f.Cause] = true
		}
	}
	var causes []string
	for _, o := range openCauses(root) {
		if !found[o.Cause] && !slices.Contains(causes, o.Cause) {
			causes = append(causes, o.Cause)
		}
	}
	if len(causes) == 0 {
		return nil
	}
	return []string{"so these causes are not ruled out: " + strings.Join(causes, ", ")}
}

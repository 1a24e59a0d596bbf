package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// gaps writes what could not be checked, in a line or two, the causes that this leaves open,
// and how to be permitted to read what matters to the answer.
func (p *textWriter) gaps(s Screen) {
	if len(s.Gaps) == 0 {
		return
	}
	p.blankLine()
	p.line("Not checked")
	for _, line := range gapSummary(s) {
		p.prose("  ", hangingIndent, line)
	}
	if causes := openCauseIDs(s.Root); len(causes) > 0 {
		remark := "so these causes are possible too: "
		if s.Root.Verdict == stuck.Blocked { // what was found stands, whatever else there is
			remark = "so these causes could not be checked: "
		}
		p.prose("  ", hangingIndent, remark+strings.Join(causes, ", "))
	}
	relevant, unreadable := relevantGaps(s)
	if len(unreadable) > 0 {
		p.prose("  ", hangingIndent, "the conditions of the namespace name, of these: "+strings.Join(unreadable, ", "))
	}
	if commands := grantCommands(relevant); len(commands) > 0 {
		p.prose("  ", hangingIndent, "an administrator permits it so (USER is what kubectl auth whoami prints):")
		for _, command := range commands {
			p.command(command)
		}
	}
}

// maxSingleGaps is how many sources that failed in the same way stand on lines of their own.
const maxSingleGaps = 3

// gapSummary says what could not be read, in a line for all that failed in the same way. Of a
// long error the beginning suffices where a cause is found, whose evidence quotes what matters.
func gapSummary(s Screen) []string {
	var lines []string
	shorten := func(text string) string { return text }
	if s.Root.Verdict == stuck.Blocked {
		shorten = shortGapError
	}
	for _, group := range stuck.GroupBy(s.Gaps, func(g stuck.Gap) string { return g.Error }) {
		group = withoutCovered(group)
		if len(group) <= maxSingleGaps {
			for _, gap := range group {
				lines = append(lines, gap.Source+": "+shorten(gap.Error))
			}
			continue
		}
		sources := make([]string, 0, len(group))
		types := map[schema.GroupResource]bool{}
		for _, gap := range group {
			sources = append(sources, gap.Source)
			if !gap.Type.Empty() {
				types[gap.Type] = true
			}
		}
		what := stuck.Count(len(group), "source")
		if len(types) == len(group) && s.ListableTypes >= len(group) {
			what = fmt.Sprintf("%d of %d types", len(types), s.ListableTypes)
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s (-o json has all)", what, shorten(group[0].Error), stuck.JoinFirst(sources, maxSingleGaps)))
	}
	return lines
}

// maxGapError is how many characters of an error say why something could not be read.
const maxGapError = 150

// shortGapError is the beginning of a long error.
func shortGapError(text string) string {
	if runes := []rune(text); len(runes) > maxGapError {
		return strings.TrimRight(string(runes[:maxGapError]), " ") + "... (-o json has all)"
	}
	return text
}

// openCauseIDs are the causes that were not found and that could not be checked.
func openCauseIDs(root *stuck.Diagnosis) []string {
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
	return causes
}

// relevantGaps are the gaps that leave a cause open. Where the conditions of a namespace name
// types that could not be read, the other types matter less: these are named, and they alone
// are relevant.
func relevantGaps(s Screen) (gaps []stuck.Gap, named []string) {
	sources := map[string]bool{}
	for _, o := range openCauses(s.Root) {
		sources[o.Source] = true
	}
	counts := map[string]bool{}
	for _, gap := range s.Gaps {
		if !sources[gap.Source] {
			continue
		}
		gaps = append(gaps, gap)
		if n := s.Remaining[gap.Type]; n > 0 && !gap.Type.Empty() {
			counts[fmt.Sprintf("%d %s", n, gap.Type)] = true
		}
	}
	if len(counts) == 0 {
		return gaps, nil
	}
	gaps = slices.DeleteFunc(gaps, func(gap stuck.Gap) bool { return !gap.Type.Empty() && s.Remaining[gap.Type] == 0 })
	return gaps, slices.Sorted(maps.Keys(counts))
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxTopCauses is how many root causes a summary names.
const maxTopCauses = 2

// SummaryLines are what was found in a line or two, none where nothing is stuck.
func SummaryLines(diagnoses []*stuck.Diagnosis, options TableOptions) []string {
	counted := slices.DeleteFunc(slices.Clone(diagnoses), func(d *stuck.Diagnosis) bool {
		return !d.Object.IsStuck(options.Now) && !d.Object.NamespaceMissing
	})
	if len(counted) == 0 {
		return nil
	}
	causes := RootCauses(counted)
	lines := []string{fmt.Sprintf("%s stuck in Terminating (oldest %s): %s.", CountVerb(len(counted), "object", "is", "are"),
		duration.HumanDuration(stuck.Group(counted).MaxStuckDuration(options.Now)), countByVerdict(causes))}
	var top []string
	for _, c := range causes[:min(maxTopCauses, len(causes))] {
		if len(c.Objects) > 1 && c.Cause != "" {
			top = append(top, fmt.Sprintf("%s (%s)", c.text(options.Names), stuck.Count(len(c.Objects), "object")))
		}
	}
	if len(top) > 0 && len(causes) > 1 {
		lines = append(lines, "Top root causes: "+strings.Join(top, ", ")+". All: --by=cause")
	}
	for i, line := range lines {
		lines[i] = stuck.EscapeLine(line)
	}
	return lines
}

// countByVerdict is how many root causes have each verdict: "50 root causes are
// Blocked, 7 ControllerGone".
func countByVerdict(causes []*RootCause) string {
	numbers := map[stuck.Verdict]int{}
	for _, c := range causes {
		numbers[c.Verdict]++
	}
	var parts []string
	for _, verdict := range []stuck.Verdict{stuck.Blocked, stuck.ControllerGone, stuck.Progressing, stuck.Unknown} {
		switch n := numbers[verdict]; {
		case n == 0:
		case len(parts) == 0:
			parts = append(parts, CountVerb(n, "root cause", "is", "are")+" "+string(verdict))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	return strings.Join(parts, ", ")
}

// CountVerb is a number of things with the verb that follows it.
func CountVerb(n int, noun, one, many string) string {
	if n == 1 {
		return stuck.Count(n, noun) + " " + one
	}
	return stuck.Count(n, noun) + " " + many
}

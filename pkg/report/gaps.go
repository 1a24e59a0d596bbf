package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxSources is how many of the sources are named that failed in the same way.
const maxSources = 10

// GapLines are the sources that could not be read, a line each. Many that failed
// in the same way share a line, which names some and says how to see all.
func GapLines(gaps []stuck.Gap) []string {
	byError := map[string][]string{}
	var order []string
	for _, gap := range gaps {
		if byError[gap.Error] == nil {
			order = append(order, gap.Error)
		}
		byError[gap.Error] = append(byError[gap.Error], gap.Source)
	}
	var lines []string
	for _, reason := range order {
		sources := withoutCovered(byError[reason])
		if len(sources) > stuck.MaxUngrouped {
			lines = append(lines, fmt.Sprintf("%d sources: %s: %s", len(sources), reason, joinSources(sources)))
			continue
		}
		for _, source := range sources {
			lines = append(lines, source+": "+reason)
		}
	}
	return lines
}

// withoutCovered leaves out a type in a namespace where that type could not be read at
// all.
func withoutCovered(sources []string) []string {
	all := map[string]bool{}
	for _, source := range sources {
		all[source] = true
	}
	return slices.DeleteFunc(sources, func(source string) bool {
		t, _, ok := strings.Cut(source, " in namespace ")
		return ok && all[t]
	})
}

func joinSources(sources []string) string {
	more := len(sources) - maxSources
	if more <= 1 {
		return strings.Join(sources, ", ")
	}
	return fmt.Sprintf("%s and %d more (-o json names them all)", strings.Join(sources[:maxSources], ", "), more)
}

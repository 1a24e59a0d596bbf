package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// sourcesNamed is how many of the sources are named that failed in the same way.
const sourcesNamed = 10

// Gaps are the sources that could not be read, a line each. Many that failed
// in the same way share a line, which names some and says how to see all.
func Gaps(gaps []stuck.Gap) []string {
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
		sources := byError[reason]
		if len(sources) > stuck.Handful {
			lines = append(lines, fmt.Sprintf("%d sources: %s: %s", len(sources), reason, named(sources)))
			continue
		}
		for _, source := range sources {
			lines = append(lines, source+": "+reason)
		}
	}
	return lines
}

func named(sources []string) string {
	more := len(sources) - sourcesNamed
	if more <= 1 {
		return strings.Join(sources, ", ")
	}
	return fmt.Sprintf("%s and %d more (-o json names them all)", strings.Join(sources[:sourcesNamed], ", "), more)
}

package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Gaps are the sources that could not be read, a line each. Many that failed
// in the same way share a line, which still names them all.
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
			lines = append(lines, fmt.Sprintf("%d sources: %s: %s", len(sources), reason, strings.Join(sources, ", ")))
			continue
		}
		for _, source := range sources {
			lines = append(lines, source+": "+reason)
		}
	}
	return lines
}

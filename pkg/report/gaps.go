package report

import (
	"fmt"
	"slices"
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
		sources := widest(byError[reason])
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

// widest leaves out a type in a namespace where that type could not be read at
// all.
func widest(sources []string) []string {
	all := map[string]bool{}
	for _, source := range sources {
		all[source] = true
	}
	return slices.DeleteFunc(sources, func(source string) bool {
		t, _, ok := strings.Cut(source, " in namespace ")
		return ok && all[t]
	})
}

func named(sources []string) string {
	more := len(sources) - sourcesNamed
	if more <= 1 {
		return strings.Join(sources, ", ")
	}
	return fmt.Sprintf("%s and %d more (-o json names them all)", strings.Join(sources[:sourcesNamed], ", "), more)
}

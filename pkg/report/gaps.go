package report

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxSources is how many of the sources are named that failed in the same way.
const maxSources = 10

// GapLines are the sources that could not be read, a line each. Many that failed
// in the same way share a line, which names some and says how to see all.
func GapLines(gaps []stuck.Gap) []string {
	var lines []string
	for _, group := range stuck.GroupBy(gaps, func(g stuck.Gap) string { return g.Error }) {
		group = withoutCovered(group)
		if len(group) > stuck.MaxUngrouped {
			lines = append(lines, fmt.Sprintf("%d sources: %s: %s", len(group), group[0].Error, joinSources(group)))
			continue
		}
		for _, gap := range group {
			lines = append(lines, gap.Source+": "+gap.Error)
		}
	}
	for i, line := range lines {
		lines[i] = stuck.EscapeLine(line)
	}
	return lines
}

// withoutCovered leaves out a type in a namespace where that type could not be read at
// all.
func withoutCovered(gaps []stuck.Gap) []stuck.Gap {
	all := map[schema.GroupResource]bool{}
	for _, gap := range gaps {
		if gap.Namespace == "" && !gap.Type.Empty() {
			all[gap.Type] = true
		}
	}
	return slices.DeleteFunc(gaps, func(gap stuck.Gap) bool { return gap.Namespace != "" && all[gap.Type] })
}

func joinSources(gaps []stuck.Gap) string {
	var sources []string
	for _, gap := range gaps {
		sources = append(sources, gap.Source)
	}
	if len(sources) <= maxSources+1 { // "and 1 more" is no shorter than its name
		return stuck.JoinFirst(sources, maxSources+1)
	}
	return stuck.JoinFirst(sources, maxSources) + " (-o json names them all)"
}

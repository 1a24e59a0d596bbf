package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// leftBehind writes what a forced removal would leave behind: of the target itself first,
// then of each thing at the end of a chain, the gravest first.
func (p *textWriter) leftBehind(root *stuck.Diagnosis, blocks []*causeBlock) {
	var costs []stuck.Cost
	for _, f := range foldedFindings(root) {
		f.OnForce.Description = costText(f.OnForce)
		costs = append(costs, f.OnForce)
	}
	var rejecting []int
	for i, c := range blocks {
		costs = append(costs, c.costs()...)
		if c.rejectsForce() {
			rejecting = append(rejecting, i)
		}
	}
	costs = withoutNothing(sortedCosts(costs))
	if len(costs) == 0 {
		return
	}
	p.blankLine()
	p.line("Force removal would leave behind")
	columns := 0
	for _, c := range costs[:min(len(costs), maxCauses)] {
		columns = max(columns, displayWidth(c.Leaves.Words()))
	}
	for i, c := range costs {
		if i == maxCauses {
			p.line("  and %d more", len(costs)-i)
			break
		}
		p.prose("  "+padRight(c.Leaves.Words(), columns)+"   ", 0, c.Description)
	}
	switch len(rejecting) {
	case 0:
	case 1:
		p.prose("  ", 2, "and is rejected too while "+blocksText(rejecting)+" lasts")
	default:
		p.prose("  ", 2, "and is rejected too while "+blocksText(rejecting)+" last")
	}
}

// costs are what force costs of all objects of the block. That finalizers are removed of which nothing is
// known is one cost.
func (c *causeBlock) costs() []stuck.Cost {
	var out []stuck.Cost
	var unknown []string
	var objects nameList
	for _, part := range c.parts {
		out = append(out, part.costs...)
		if len(part.unknown) > 0 {
			unknown = append(unknown, part.unknown...)
			objects.add(part.group.String(), len(part.group))
		}
	}
	if len(unknown) > 0 {
		out = append(out, stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("cleanup for %s of %s is skipped", joinFinalizers(distinct(unknown)), objects),
		})
	}
	return out
}

// sortedCosts is stuck.SortCosts of costs that are distinguished by what is printed of them.
func sortedCosts(costs []stuck.Cost) []stuck.Cost {
	printed := make([]stuck.Cost, 0, len(costs))
	for _, c := range costs {
		printed = append(printed, stuck.Cost{Leaves: c.Leaves, Description: c.Description})
	}
	return stuck.SortCosts(printed)
}

// withoutNothing leaves out that nothing is left behind where something is.
func withoutNothing(costs []stuck.Cost) []stuck.Cost {
	if len(costs) == 0 || costs[0].Leaves == stuck.LeakNothing {
		return costs
	}
	return slices.DeleteFunc(costs, func(c stuck.Cost) bool { return c.Leaves == stuck.LeakNothing })
}

// costText is what a cost says of what is left behind, without its note, which says that
// the removal is rejected as long as the cause lasts.
func costText(c stuck.Cost) string { return strings.TrimSuffix(c.Description, c.Note) }

// rejectsForce reports whether the cause rejects a forced removal too.
func (c *causeBlock) rejectsForce() bool {
	return c.verdict == stuck.Blocked && slices.ContainsFunc(c.parts, func(part causePart) bool {
		return slices.ContainsFunc(part.costs, func(cost stuck.Cost) bool { return cost.Note != "" })
	})
}

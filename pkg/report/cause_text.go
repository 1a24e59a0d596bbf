package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// sentence says why the objects of a block are stuck. It names them only where it does not
// say the same of all.
func (c *causeBlock) sentence(root *stuck.Diagnosis) string {
	if !c.isExplained() {
		return c.parts[0].unexplainedText()
	}
	if c.saysOne() {
		return c.message
	}
	var texts []string
	for _, part := range c.parts {
		texts = append(texts, part.name(root)+": "+part.message)
	}
	return strings.Join(texts, "; ")
}

// saysOne reports whether the block says the same of all its objects.
func (c *causeBlock) saysOne() bool {
	return !slices.ContainsFunc(c.parts, func(part causePart) bool { return part.message != c.message })
}

// affected names the objects of a block and, where these are not all that an object
// has, the finalizers that it is about. It is empty where the block is about root alone.
func (c *causeBlock) affected(root *stuck.Diagnosis) string {
	if c.isAbout(root) {
		return strings.Join(c.parts[0].someFinalizers(), " and ")
	}
	return c.names(root, func(causePart) bool { return true })
}

// names are the names of those parts of a block that are wanted.
func (c *causeBlock) names(root *stuck.Diagnosis, wanted func(causePart) bool) string {
	var names []string
	for _, part := range c.parts {
		if wanted(part) {
			names = union(names, []string{part.name(root)})
		}
	}
	return stuck.JoinFirst(names, maxNames)
}

// name is what a part is about: its objects, with their namespace where it is not clear, and
// the finalizers where these are not all that they have.
func (p causePart) name(root *stuck.Diagnosis) string {
	name := p.group.String()
	o := p.group.First().Object
	if o.Namespace != root.Object.Namespace && !isIn(o, root.Object) {
		name += stuck.InNamespace(o.Namespace)
	}
	if some := p.someFinalizers(); len(some) > 0 && p.isExplained() {
		name += " (" + strings.Join(some, ", ") + ")"
	}
	return name
}

// someFinalizers are the finalizers that a part is about, nothing where these are all of
// the object's, or it is about the object as a whole.
func (p causePart) someFinalizers() []string {
	if len(p.finalizers) < len(p.group.First().Object.AllFinalizers()) {
		return p.finalizers
	}
	return nil
}

// isIn reports whether an object is in a namespace.
func isIn(o, namespace stuck.Object) bool {
	return namespace.IsNamespace() && o.Namespace == namespace.Name
}

// withAffected puts before a sentence what it is about.
func (c *causeBlock) withAffected(root *stuck.Diagnosis) string {
	about := c.affected(root)
	if about == "" || c.isAbout(root) && !c.isExplained() || !c.saysOne() {
		return c.sentence(root)
	}
	return about + ": " + c.sentence(root)
}

// withCertainty is the sentence, with a word where it is not certain.
func (c *causeBlock) withCertainty(text string) string {
	if c.certainty == stuck.Likely {
		return text + " (likely)"
	}
	return text
}

// title is the id of the cause and how certain it is.
func (c *causeBlock) title(root *stuck.Diagnosis) string {
	if !c.isExplained() {
		return "not explained"
	}
	title := c.cause + ", " + strings.ToLower(string(c.certainty))
	isLess := func(part causePart) bool { return part.certainty != c.certainty }
	if slices.ContainsFunc(c.parts, isLess) {
		title += " (likely for " + c.names(root, isLess) + ")"
	}
	return title
}

// causeBlocks writes the numbered blocks. Where there is one, the first line has said what
// it says.
func (p *textWriter) causeBlocks(root *stuck.Diagnosis, blocks []*causeBlock, force stuck.Step) {
	last := lastControllerGone(blocks)
	for i, c := range blocks {
		p.blankLine()
		p.prose(fmt.Sprintf("[%d] ", i+1), 4, c.title(root))
		if len(blocks) > 1 || len(c.parts) > 1 {
			p.prose("    ", 4, c.withAffected(root))
		}
		for _, line := range c.evidence() {
			if !isAmongFacts(root, line) {
				p.prose("    - ", 6, line)
			}
		}
		steps := c.steps()
		if i == last && force.Command != "" {
			steps = append(steps, partStep{Step: force})
		}
		p.steps(steps)
	}
}

// isAmongFacts reports whether a line says what the facts about the object already say of one of its finalizers.
func isAmongFacts(root *stuck.Diagnosis, line string) bool {
	for _, known := range root.Known {
		if line == known.Description {
			return true
		}
	}
	return false
}

// lastControllerGone is the last of the blocks whose controller is gone, behind whose steps
// stands the forced way: it is for the target with all that it waits for. It is -1 where
// there is none.
func lastControllerGone(blocks []*causeBlock) int {
	last := -1
	for i, c := range blocks {
		if c.verdict == stuck.ControllerGone {
			last = i
		}
	}
	return last
}

// steps writes steps in the order of the cause, which knows what has to come before what.
func (p *textWriter) steps(steps []partStep) {
	for i, s := range steps {
		p.prose(fmt.Sprintf("  %s) ", letter(i)), 5, fmt.Sprintf("%s: %s", s.Action, withOthers(s.Description, s.others)))
		p.command(s.Command)
	}
}

// letter is the letter of a step: a to z, and then aa.
func letter(i int) string {
	const letters = 26
	if i < letters {
		return string(rune('a' + i))
	}
	return letter(i/letters-1) + letter(i%letters)
}

// withOthers adds for how many other objects a text holds in a similar way.
func withOthers(text string, others int) string {
	if others == 0 {
		return text
	}
	return fmt.Sprintf("%s (and similarly for %s)", text, stuck.Count(others, "other object"))
}

// leftBehind writes what a forced removal would leave behind: of the target itself first,
// then of each thing at the end of a chain, the gravest first.
func (p *textWriter) leftBehind(root *stuck.Diagnosis, blocks []*causeBlock) {
	var costs []stuck.Cost
	for _, f := range root.Findings {
		f.OnForce.Description = costText(f.OnForce)
		costs = append(costs, f.OnForce)
	}
	var rejecting []string
	for i, c := range blocks {
		for _, part := range c.parts {
			costs = append(costs, part.costs...)
		}
		if c.rejectsForce() {
			rejecting = append(rejecting, fmt.Sprint(i+1))
		}
	}
	costs = withoutNothing(sortedCosts(costs))
	if len(costs) == 0 {
		return
	}
	p.blankLine()
	p.line("Force removal would leave behind")
	columns := 0
	for _, c := range costs {
		columns = max(columns, displayWidth(c.Leaves.Words()))
	}
	for _, c := range costs {
		p.prose("  "+padRight(c.Leaves.Words(), columns)+"   ", 0, c.Description)
	}
	switch len(rejecting) {
	case 0:
	case 1:
		p.prose("  ", 2, "and is rejected too while cause "+rejecting[0]+" lasts")
	default:
		p.prose("  ", 2, "and is rejected too while causes "+strings.Join(rejecting, ", ")+" last")
	}
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

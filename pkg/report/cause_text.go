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
		return c.unexplainedText()
	}
	if c.saysOne() {
		return c.message
	}
	var texts []string
	for i, part := range c.parts {
		if more := len(c.parts) - i; i == maxNames && more > 1 {
			texts = append(texts, fmt.Sprintf("and %d more like these", more))
			break
		}
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
		return finalizerList(c.parts[0].someFinalizers(), " and ")
	}
	return c.names(root, func(causePart) bool { return true })
}

// names are the names of those parts of a block that are wanted.
func (c *causeBlock) names(root *stuck.Diagnosis, wanted func(causePart) bool) string {
	var names nameList
	for _, part := range c.parts {
		if wanted(part) {
			names.add(part.name(root), len(part.group))
		}
	}
	return names.String()
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
		name += " (" + finalizerList(some, ", ") + ")"
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
	shown := blocks[:min(len(blocks), maxCauses)]
	last := lastControllerGone(shown)
	for i, c := range shown {
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
	p.moreCauses(len(blocks) - len(shown))
	if last < 0 && lastControllerGone(blocks) >= 0 && force.Command != "" {
		p.steps([]partStep{{Step: force}})
	}
}

// moreCauses counts the causes that have no block.
func (p *textWriter) moreCauses(n int) {
	if n > 0 {
		p.blankLine()
		p.line("and %s (-o json has all)", stuck.Count(n, "more cause"))
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

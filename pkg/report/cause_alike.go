package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// alikeKey is equal for blocks that say the same but for the names of their objects, types and finalizers.
type alikeKey struct {
	findingKey
	steps string
}

// foldAlike puts together more than a few blocks that say the same but for names, where nothing else than the objects
// is to blame: what each of several controllers needs is not said of another.
func foldAlike(blocks []*causeBlock) []*causeBlock {
	keys, similar := map[*causeBlock]alikeKey{}, map[alikeKey]int{}
	for _, c := range blocks {
		if key, ok := c.alikeKey(); ok {
			keys[c] = key
			similar[key]++
		}
	}
	out := foldBlocks(blocks, func(c *causeBlock) (alikeKey, bool) {
		key, ok := keys[c]
		return key, ok && similar[key] > stuck.MaxUngrouped
	})
	for _, c := range out {
		if similar[keys[c]] > stuck.MaxUngrouped {
			c.sayOfAll()
		}
	}
	return out
}

// alikeKey is false for a block that is not to be put together with others.
func (c *causeBlock) alikeKey() (alikeKey, bool) {
	key := alikeKey{findingKey: c.findingKey}
	for i, part := range c.parts {
		o := part.group.First().Object
		onlyObject := part.blockedBy.Name == "" || blamesObject(o, stuck.Finding{BlockedBy: part.blockedBy, Explains: part.finalizers})
		if message := part.template(part.message); i == 0 {
			key.message = message
		} else if message != key.message {
			return key, false
		}
		if !part.isExplained() || !onlyObject {
			return key, false
		}
	}
	var steps []string
	for _, s := range c.parts[0].steps {
		steps = append(steps, c.parts[0].stepTemplate(s))
	}
	key.steps = stuck.ListKey(steps)
	return key, true
}

// ownNames are the names of a part: the objects, their type and the finalizer.
func (p causePart) ownNames() []string {
	o := p.group.First().Object
	names := []string{o.Ref(), o.Type.String(), o.Type.Singular(), ""}
	if len(p.finalizers) == 1 {
		names[len(names)-1] = p.finalizers[0]
	}
	return names
}

// placeholder stands for one of the own names: a character that no text has.
func placeholder(i int) string { return string(rune('\uE000' + i)) }

// template is a text with placeholders for the own names.
func (p causePart) template(text string) string {
	for i, name := range p.ownNames() {
		text = replaceName(text, name, placeholder(i))
	}
	return text
}

func (p causePart) stepTemplate(s partStep) string {
	command := replaceName(p.template(s.Command), p.group.First().Object.Name, "")
	return fmt.Sprintf("%s %q %q", s.Action, p.template(s.Description), command)
}

// sayOfAll puts the names of all parts into the texts that all of them have.
func (c *causeBlock) sayOfAll() {
	all := c.commonTexts()
	c.message = all.text(c.parts[0], c.message)
	for i := range c.parts {
		part := &c.parts[i]
		text := func(text string) string { return all.text(*part, text) }
		part.message = c.message
		evidence, steps, costs := part.evidence, part.steps, part.costs
		part.evidence, part.steps, part.costs = nil, nil, nil
		for _, line := range evidence {
			part.evidence = append(part.evidence, text(line))
		}
		for _, s := range steps {
			s.template = part.stepTemplate(s)
			if part.template(s.Command) == s.Command {
				s.Description = text(s.Description)
			}
			part.steps = append(part.steps, s)
		}
		for _, cost := range costs {
			cost.Description = text(cost.Description)
			part.costs = append(part.costs, cost)
		}
	}
}

// commonTexts are the templates of texts that all parts of a block have, and the names to put into them.
type commonTexts struct {
	parts     int
	templates map[string]int
	names     []nameList
}

func (c *causeBlock) commonTexts() commonTexts {
	out := commonTexts{parts: len(c.parts), templates: map[string]int{}}
	for _, part := range c.parts {
		for i, name := range part.ownNames() {
			if i == len(out.names) {
				out.names = append(out.names, nameList{})
			}
			out.names[i].add(name, 1)
		}
		texts := append([]string{part.message}, part.evidence...)
		for _, s := range part.steps {
			texts = append(texts, s.Description)
		}
		for _, cost := range part.costs {
			texts = append(texts, cost.Description)
		}
		for i, text := range texts {
			texts[i] = part.template(text)
		}
		for _, template := range distinct(texts) {
			out.templates[template]++
		}
	}
	return out
}

// text is a text of one part, said of all where all have it.
func (t commonTexts) text(p causePart, text string) string {
	template := p.template(text)
	if t.templates[template] < t.parts {
		return text
	}
	for i, names := range t.names {
		template = strings.ReplaceAll(template, placeholder(i), names.String())
	}
	return template
}

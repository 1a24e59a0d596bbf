package report

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// causeBlock is one numbered block of an explanation: a finding with all objects for which
// it holds, or finalizers that no finding explains.
type causeBlock struct {
	findingKey
	parts []causePart
}

// findingKey is what findings of one object have in common that stand in one part. It is
// empty where no finding explains the finalizers.
type findingKey struct {
	cause, message string
	verdict        stuck.Verdict
	certainty      stuck.Certainty
}

func keyOf(f stuck.Finding) findingKey {
	return findingKey{cause: f.Cause, message: f.Message, verdict: f.Verdict, certainty: f.Certainty}
}

// causePart is what a cause says of a group of similar objects.
type causePart struct {
	findingKey
	group     stuck.Group
	blockedBy stuck.Culprit
	// finalizers are those that the cause is about, empty where it is about the object as
	// a whole.
	finalizers []string
	// unknown are those of them that nothing explains, and of which nothing is known.
	unknown     []string
	evidence    []string
	steps       []partStep
	costs       []stuck.Cost
	controllers []stuck.Controller
	urgency     int
}

// partStep is a step, and for how many other objects it has to be done in the same way,
// with their own names.
type partStep struct {
	stuck.Step
	others int
	// template is equal for steps of other parts that differ in names alone, empty where that is not known.
	template string
}

// causeBlocks are the causes at the ends of all chains that begin at root. Findings that
// only say what is waited for stand in the tree; those that have more to say come too.
func causeBlocks(root *stuck.Diagnosis) []*causeBlock {
	var out []*causeBlock
	for _, g := range stuck.GroupSimilar(root.All()) {
		keys, findings := groupFindings(g.First())
		for _, key := range keys {
			part := newPart(g, key, findings[key])
			if key.isLink() && len(part.evidence) == 0 {
				continue
			}
			i := slices.IndexFunc(out, func(c *causeBlock) bool { return c.isCauseOf(part) })
			if i < 0 {
				i, out = len(out), append(out, &causeBlock{findingKey: key})
			}
			out[i].add(part)
		}
		out = append(out, unexplainedBlocks(g)...)
	}
	out = foldAlike(foldUnexplained(out))
	sortBlocks(out)
	return out
}

// groupFindings puts together the findings of an object that say the same of several of its
// finalizers: a controller that is down holds all that it set.
func groupFindings(d *stuck.Diagnosis) (keys []findingKey, findings map[findingKey][]stuck.Finding) {
	findings = map[findingKey][]stuck.Finding{}
	for _, f := range foldedFindings(d) {
		key := keyOf(f)
		if len(findings[key]) == 0 {
			keys = append(keys, key)
		}
		findings[key] = append(findings[key], f)
	}
	return keys, findings
}

func newPart(g stuck.Group, key findingKey, findings []stuck.Finding) causePart {
	part := causePart{findingKey: key, group: g, blockedBy: findings[0].BlockedBy}
	var steps []stuck.Step
	for _, f := range findings {
		part.urgency = max(part.urgency, f.Urgency())
		part.finalizers = union(part.finalizers, f.Explains)
		part.evidence = union(part.evidence, f.Evidence)
		steps = union(steps, f.Steps)
		part.costs = append(part.costs, costForAll(g, f.OnForce, func(d *stuck.Diagnosis) bool {
			return slices.ContainsFunc(d.Findings, func(other stuck.Finding) bool { return keyOf(other) == key && other.OnForce == f.OnForce })
		}))
	}
	for _, s := range steps {
		part.steps = append(part.steps, partStep{Step: s, others: countOthers(g, func(d *stuck.Diagnosis) bool {
			return slices.ContainsFunc(d.Findings, func(other stuck.Finding) bool { return keyOf(other) == key && slices.Contains(other.Steps, s) })
		})})
	}
	return part
}

// countOthers is for how many others of a group something holds only in a similar way,
// as it is not the same for all of them.
func countOthers(g stuck.Group, same func(*stuck.Diagnosis) bool) int {
	for _, d := range g[1:] {
		if !same(d) {
			return len(g) - 1
		}
	}
	return 0
}

// costForAll is the cost of the first of a group, with a remark where that of the others
// differs.
func costForAll(g stuck.Group, c stuck.Cost, same func(*stuck.Diagnosis) bool) stuck.Cost {
	c.Description = withOthers(costText(c), countOthers(g, same))
	return c
}

// union is all of a, and then what b has besides.
func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, each := range b {
		if !slices.Contains(out, each) {
			out = append(out, each)
		}
	}
	return out
}

// isCauseOf reports whether the block is about the cause of a part: both say the same, or
// both blame the same thing, which the same commands repair.
func (c *causeBlock) isCauseOf(part causePart) bool {
	if !c.isExplained() || c.cause != part.cause || c.verdict != part.verdict {
		return false
	}
	return slices.ContainsFunc(c.parts, func(other causePart) bool {
		return other.message == part.message ||
			part.blockedBy.Name != "" && other.blockedBy == part.blockedBy && len(part.commands()) > 0 && slices.Equal(other.commands(), part.commands())
	})
}

// add adds a part. A cause that is confirmed for one of its objects is confirmed.
func (c *causeBlock) add(part causePart) {
	c.parts = append(c.parts, part)
	if part.certainty == stuck.Confirmed {
		c.certainty = stuck.Confirmed
	}
}

// commands are those of the steps.
func (p causePart) commands() []string {
	var out []string
	for _, s := range p.steps {
		if s.Command != "" {
			out = append(out, s.Command)
		}
	}
	return out
}

// isExplained reports whether a finding stands behind the block.
func (k findingKey) isExplained() bool { return k != findingKey{} }

// isLink reports whether the finding merely says what is waited for, or adds something.
func (k findingKey) isLink() bool { return k.isExplained() && k.verdict == "" }

// urgency is that of the most urgent of the findings that are put together in the block.
func (c *causeBlock) urgency() int {
	most := 0
	for _, p := range c.parts {
		most = max(most, p.urgency)
	}
	return most
}

func (k findingKey) verdictRank() int {
	switch {
	case !k.isExplained():
		return 1
	case k.verdict == stuck.Blocked:
		return 3
	case k.isLink():
		return 0
	}
	return 2
}

// isAbout reports whether the block is about an object and no other.
func (c *causeBlock) isAbout(d *stuck.Diagnosis) bool {
	return len(c.parts) == 1 && len(c.parts[0].group) == 1 && c.parts[0].group.First() == d
}

// holdsFor reports whether the block is about an object, be it with others.
func (c *causeBlock) holdsFor(d *stuck.Diagnosis) bool {
	return slices.ContainsFunc(c.parts, func(part causePart) bool { return slices.Contains(part.group, d) })
}

// steps are the steps of all parts, each once. One that differs in nothing but the object
// that its command names stands there for the first.
func (c *causeBlock) steps() []partStep {
	var out []partStep
	for _, part := range c.parts {
		for _, s := range part.steps {
			i := slices.IndexFunc(out, func(seen partStep) bool {
				return s.Command != "" && seen.Command == s.Command || seen.Action == s.Action && seen.Description == s.Description || s.template != "" && seen.template == s.template
			})
			switch {
			case i < 0:
				out = append(out, s)
			case out[i].Command != s.Command:
				out[i].others += len(part.group)
			}
		}
	}
	return out
}

// maxEvidence is how many lines prove one cause of several objects.
const maxEvidence = 12

// evidence are the lines that prove the cause. A line that does not hold for all objects
// names those that it is about.
func (c *causeBlock) evidence() []string {
	var lines []string
	holders := map[string][]string{}
	for _, part := range c.parts {
		for _, line := range part.evidence {
			if len(holders[line]) == 0 {
				lines = append(lines, line)
			}
			holders[line] = append(holders[line], part.group.String())
		}
	}
	for i, line := range lines {
		if len(holders[line]) < len(c.parts) {
			lines[i] = stuck.JoinFirst(holders[line], maxNames) + ": " + line
		}
	}
	if more := len(lines) - maxEvidence; more > 0 {
		lines = append(lines[:maxEvidence], fmt.Sprintf("and %s like these", stuck.Count(more, "line")))
	}
	return lines
}

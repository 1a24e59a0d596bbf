package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Issue is one reason for which cases have failed.
type Issue struct {
	Warning bool
	// Cluster is one of several, empty where there is one.
	Cluster string
	// Verdict is what the cause means, empty for a problem of a health report.
	Verdict stuck.Verdict
	// ID is that of the cause, or of the problem.
	ID, Message string
	Certainty   stuck.Certainty
	Affects     []string
	Evidence    []string
	Steps       []stuck.Step
	// LeftBehind is what a forced removal would leave behind, the gravest first.
	LeftBehind []stuck.Cost
	// holds are the objects that the cause holds itself, and not through others.
	holds []*stuck.Diagnosis
}

func newIssue(r *RootCause) Issue {
	i := Issue{Verdict: r.Verdict, ID: r.Cause, Message: r.Message, Certainty: r.Certainty}
	if i.ID == "" {
		i.ID = unknownCause
	}
	for _, d := range r.Objects {
		i.Affects = append(i.Affects, d.Object.RefInNamespace())
	}
	block := r.block()
	if len(block.parts) == 0 {
		return i
	}
	for _, part := range block.parts {
		i.holds = append(i.holds, part.group...)
	}
	i.Evidence, i.LeftBehind = block.evidence(), withoutNothing(sortedCosts(block.costs()))
	for _, s := range block.steps() {
		s.Description = withOthers(s.Description, s.others)
		i.Steps = append(i.Steps, s.Step)
	}
	return i
}

// AddForceStep adds the forced way for an object, if there is one, behind the steps of the last issue of it whose controller is
// gone, as on its screen: it is for the object with all that it waits for.
func (r *Report) AddForceStep(d *stuck.Diagnosis, force stuck.Step) {
	if force.Command == "" {
		return
	}
	for i := len(r.Issues) - 1; i >= 0; i-- {
		if issue := &r.Issues[i]; issue.Verdict == stuck.ControllerGone && slices.Contains(issue.Affects, d.Object.RefInNamespace()) {
			issue.Steps = append(issue.Steps, force)
			return
		}
	}
}

// block is the cause with the objects that it holds itself, and what is known of each of them.
func (r RootCause) block() *causeBlock {
	block := &causeBlock{findingKey: findingKey{cause: r.Cause, message: r.Message, verdict: r.Verdict, certainty: r.Certainty}}
	for _, g := range stuck.GroupSimilar(allOf(r.Objects)) {
		first := g.First()
		if r.Cause == "" {
			for _, unexplained := range unexplainedBlocks(g) {
				if slices.Equal(unexplained.parts[0].finalizers, r.finalizers) {
					block.parts = append(block.parts, unexplained.parts...)
				}
			}
			continue
		}
		findings := slices.DeleteFunc(slices.Clone(foldedFindings(first)), func(f stuck.Finding) bool {
			return f.Cause != r.Cause || causeOf(first, f, r.Verdict).key() != r.key()
		})
		if len(findings) > 0 {
			block.parts = append(block.parts, newPart(g, keyOf(findings[0]), findings))
		}
	}
	return block
}

// Heading is the id with its certainty, which is not said of what is certain to be unknown,
// behind the name of the cluster where there are several.
func (i Issue) Heading() string {
	heading := i.ID
	if i.Cluster != "" {
		heading = i.Cluster + ": " + heading
	}
	if i.Certainty == "" {
		return heading
	}
	return heading + ", " + strings.ToLower(string(i.Certainty))
}

// Affected names what the issue affects.
func (i Issue) Affected() string {
	if len(i.Affects) == 0 {
		return ""
	}
	return fmt.Sprintf("affects %s: %s", stuck.Count(len(i.Affects), "object"), stuck.JoinFirst(i.Affects, stuck.MaxUngrouped))
}

// Holds names the objects that the cause holds itself, where these are not all that it affects.
func (i Issue) Holds() string {
	var names []string
	for _, g := range stuck.GroupSimilar(i.holds) {
		names = append(names, g.String()+stuck.InNamespace(g.First().Object.Namespace))
	}
	if len(names) == 0 || slices.Equal(names, i.Affects) {
		return ""
	}
	return "holds " + stuck.JoinFirst(names, stuck.MaxUngrouped)
}

// lines are the issue as text.
func (i Issue) lines() []string {
	out := []string{"", i.Heading() + ": " + i.Message}
	for _, line := range i.Evidence {
		out = append(out, "- "+line)
	}
	for _, step := range i.Steps {
		out = append(out, string(step.Action)+": "+step.Description)
		if step.Command != "" {
			out = append(out, "  "+step.Command)
		}
	}
	return out
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// longTime is how long something takes that is worth a line.
const longTime = time.Minute

// PreflightText writes a prediction for a person: the answer first, then each cause with its
// proof and its steps, then a safe order of deletion, then what could not be checked.
func PreflightText(out io.Writer, r preflight.Result, width, listableTypes int) error {
	p := &textWriter{width: width}
	p.prose("", hangingIndent, preflightHeadline(r))
	p.estimate(r.Estimate)
	root := &stuck.Diagnosis{WaitsFor: heldDiagnoses(r), Verdict: stuck.Blocked}
	blocks := slices.DeleteFunc(causeBlocks(root), func(c *causeBlock) bool { return c.isLink() || c.verdict == stuck.Progressing })
	shown := blocks[:min(len(blocks), maxCauses)]
	for i, c := range shown {
		p.blankLine()
		p.prose(fmt.Sprintf("[%d] ", i+1), 4, c.title(root))
		p.prose("    ", 4, c.withAffected(root))
		for _, line := range c.evidence() {
			p.prose("    - ", 6, line)
		}
		p.steps(c.steps())
	}
	p.moreCauses(len(blocks) - len(shown))
	p.others(r, len(shown))
	p.safeOrder(r, blocks)
	if r.Outcome == preflight.Unknown {
		root.Verdict = stuck.Unknown
	}
	p.gaps(Screen{Root: root, Gaps: r.Gaps, ListableTypes: listableTypes})
	_, err := io.WriteString(out, p.text.String())
	return err
}

// estimate writes what takes long, beside the time that controllers need.
func (p *textWriter) estimate(e preflight.Estimate) {
	if e.GracePeriod >= longTime {
		p.prose("", hangingIndent, fmt.Sprintf("Pods may take up to %s: that is the grace period of %s.", duration.HumanDuration(e.GracePeriod), e.SlowestPod.RefInNamespace()))
	}
	if e.Collection >= longTime {
		p.prose("", hangingIndent, fmt.Sprintf("The garbage collector needs %s or more for %d dependents: by default it deletes %d a second.", duration.HumanDuration(e.Collection), e.Dependents, preflight.CollectorRate))
	}
	if e.Namespaces < longTime {
		return
	}
	n := e.SlowestNamespace
	parts := []string{fmt.Sprintf("the namespace controller waits %s", duration.HumanDuration(n.Waits))}
	if n.Pods > 0 {
		parts = append(parts, fmt.Sprintf("and up to %s for Pods", duration.HumanDuration(n.Pods)))
	}
	parts = append(parts, fmt.Sprintf("and the API server deletes %s one after another in about %s", stuck.Count(n.Objects, "object"), duration.HumanDuration(n.Deletion.Round(time.Second))))
	p.prose("", hangingIndent, fmt.Sprintf("Without the time of controllers, namespace/%s takes about %s: %s.", n.Name, duration.HumanDuration(n.Total()), strings.Join(parts, ", ")))
}

// safeOrder writes the order of deletion, if it has more than one stage or avoids a cause.
func (p *textWriter) safeOrder(r preflight.Result, blocks []*causeBlock) {
	var fixFirst []int
	for i, c := range blocks {
		if !slices.ContainsFunc(c.steps(), func(s partStep) bool { return s.Step == preflight.OrderStep }) {
			fixFirst = append(fixFirst, i)
		}
	}
	if len(r.Order) == 0 || len(r.Order) == 1 && len(fixFirst) == len(blocks) {
		return
	}
	p.blankLine()
	switch len(fixFirst) {
	case 0:
		p.line("Safe order of deletion")
	case 1:
		p.line("Safe order of deletion, when %s is fixed", blocksText(fixFirst))
	default:
		p.line("Safe order of deletion, when %s are fixed", blocksText(fixFirst))
	}
	for i, s := range r.Order {
		p.prose(fmt.Sprintf("  %d. ", i+1), 5, fmt.Sprintf("%s (%s)", s.Name.Text(), stuck.Count(len(s.Delete), "object")))
		for _, definition := range s.EarlyDefinitions() {
			p.prose("     ", 5, definition.Ref()+" in place of its objects: the API server does not accept a dry run of their own deletion")
		}
		for _, command := range s.Commands(r.Whole) {
			p.command(command)
		}
	}
}

package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// others writes what becomes of objects that are not deleted, numbered behind the causes.
func (p *textWriter) others(r preflight.Result, causes int) {
	if len(r.Others) == 0 {
		return
	}
	p.blankLine()
	p.line("Objects that are not deleted, and that would get stuck when they are deleted later")
	for i, o := range r.Others {
		if i > 0 {
			p.blankLine()
		}
		p.prose(fmt.Sprintf("[%d] ", causes+i+1), 4, o.Cause+", "+strings.ToLower(string(o.Certainty)))
		p.prose("    ", 4, o.Subject()+": "+o.Message)
		for _, line := range o.Evidence {
			p.prose("    - ", 6, line)
		}
		var steps []partStep
		for _, s := range o.Steps {
			steps = append(steps, partStep{Step: s})
		}
		p.steps(steps)
	}
}

// newOtherCase is objects that are not deleted, and would get stuck later.
func newOtherCase(o preflight.Other) Case {
	group := ""
	if len(o.Namespaces) == 1 {
		group = o.Namespaces[0]
	}
	return Case{Group: group, Name: "not deleted: " + o.Subject(), Result: CaseFailed, ID: o.Cause, Message: o.Message, Details: newOtherIssue(o).lines()}
}

// othersMetric counts objects that are not deleted, by cause.
func othersMetric(others []preflight.Other) Metric {
	out := Metric{Name: metricPreflightOthers, Help: "Objects that a deletion does not cover, and that would get stuck when they are deleted later."}
	for _, same := range stuck.GroupBy(others, func(o preflight.Other) string { return o.Cause }) {
		n := 0
		for _, o := range same {
			n += o.Count()
		}
		out.Samples = append(out.Samples, Sample{[]string{"cause", same[0].Cause}, float64(n)})
	}
	return out
}

func newOtherIssue(o preflight.Other) Issue {
	return Issue{
		Verdict: o.Verdict, ID: o.Cause, Message: o.Subject() + " would get stuck when deleted later: " + o.Message, Certainty: o.Certainty,
		Evidence: o.Evidence, Steps: o.Steps,
	}
}

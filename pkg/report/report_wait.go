package report

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// notDeletedID is the id of an object that is left though nothing holds it.
const notDeletedID = "not-deleted"

// NewWaitReport is the report of a wait: of what is left, and of what was deleted. Everything
// that is left is a failure.
func NewWaitReport(left []*stuck.Diagnosis, deleted []stuck.Object, gaps []stuck.Gap, now time.Time) Report {
	r := NewReport("wait", left, gaps, now)
	for i, d := range left {
		if r.Cases[i].Result == CaseFailed {
			continue
		}
		r.Cases[i].Result, r.Cases[i].ID, r.Cases[i].Message = CaseFailed, notDeletedID, causeSummary(d)
		r.Issues = append(r.Issues, Issue{ID: notDeletedID, Message: causeSummary(d), Affects: []string{d.Object.RefInNamespace()}})
	}
	for _, o := range deleted {
		r.Cases = append(r.Cases, Case{Group: o.Namespace, Name: o.Ref()})
	}
	r.Headline = fmt.Sprintf("%d of %s left, %d deleted.", len(left), CountVerb(len(left)+len(deleted), "object", "is", "are"), len(deleted))
	return r
}

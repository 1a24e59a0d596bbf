package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Report is what a pipeline or a ticket is told, in one of the formats of ReportFormats.
type Report struct {
	// Command is the command that was run, such as "list".
	Command string
	// Headline is the answer in one line.
	Headline string
	// Cases are the objects, or the checks of a health report.
	Cases []Case
	// Issues are the root causes, or the problems of a health report, the gravest first.
	Issues []Issue
	// Table is what the command prints without -o.
	Table *metav1.Table
	// Types are the types that health checks have measured.
	Types []stuck.TypeHealth
	// Diagnoses are what was found out about the objects, with what they wait for.
	Diagnoses []*stuck.Diagnosis
	Gaps      []stuck.Gap
	// Metrics are what is counted.
	Metrics []Metric
	// Now is when it was found.
	Now time.Time
	// Clusters are the reports that this one joins, where there are several clusters.
	Clusters []ClusterReport
}

// title is the command that made the report, as it is typed.
func (r Report) title() string { return stuck.Shellf("kubectl finalizers %s", r.Command) }

// Case is one thing that was looked at.
type Case struct {
	// Group is the namespace, or the name of a check.
	Group, Name string
	Result      CaseResult
	// ID is that of the cause, or of the problem.
	ID      string
	Message string
	Details []string
}

// CaseResult is the result of a case.
type CaseResult int

// The results.
const (
	CasePassed CaseResult = iota
	CaseWarned
	CaseFailed
)

// unknownCause is the id of a cause that is not known.
const unknownCause = "unknown"

// NewReport is the report of what was found, and of what could not be read.
func NewReport(command string, diagnoses []*stuck.Diagnosis, gaps []stuck.Gap, now time.Time) Report {
	options := TableOptions{Now: now, WithNamespace: true}
	r := Report{Command: command, Diagnoses: diagnoses, Gaps: gaps, Now: now, Table: Table(diagnoses, options), Metrics: stuckMetrics(diagnoses, gaps, now)}
	var failed []*stuck.Diagnosis
	for _, d := range diagnoses {
		c := newCase(d, now)
		r.Cases = append(r.Cases, c)
		if c.Result == CaseFailed {
			failed = append(failed, d)
		}
	}
	for _, cause := range RootCauses(failed) {
		r.Issues = append(r.Issues, newIssue(cause))
	}
	switch lines := SummaryLines(diagnoses, options); {
	case len(lines) > 0:
		r.Headline = lines[0]
	case len(gaps) > 0:
		r.Headline = "Nothing stuck was found, but not everything could be read."
	default:
		r.Headline = "Nothing is stuck."
	}
	return r
}

func newCase(d *stuck.Diagnosis, now time.Time) Case {
	o := d.Object
	c := Case{Group: o.Namespace, Name: o.Ref()}
	if !o.IsStuck(now) && !o.NamespaceMissing {
		return c
	}
	c.Result, c.ID, c.Message = CaseFailed, causeID(d), causeSummary(d)
	c.Details = []string{"Verdict: " + string(d.Verdict)}
	if o.Deleting() {
		c.Details = append(c.Details, "Deleted at: "+timestamp(deletionRequested(o)))
	}
	c.Details = append(c.Details, "Finalizers: "+orNone(finalizerList(o.AllFinalizers(), ", ")))
	if n := len(d.All()) - 1; n > 0 {
		c.Details = append(c.Details, "Waits for: "+stuck.Count(n, "object"))
	}
	for _, cause := range rootCausesOf(d)[:min(len(rootCausesOf(d)), maxTallies)] {
		cause.Objects = []*stuck.Diagnosis{d}
		c.Details = append(c.Details, newIssue(&cause).lines()...)
	}
	return c
}

// causeID is the id of the cause that a row of the list names.
func causeID(d *stuck.Diagnosis) string {
	if f, ok := d.PrimaryFinding(); ok {
		return f.Cause
	}
	return unknownCause
}

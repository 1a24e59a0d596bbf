package report

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NewHealthSummary is the report of a health check: a case for each check without a problem,
// and for each problem.
func NewHealthSummary(h stuck.Health) Report {
	r := Report{Command: "health", Headline: healthSummary(h), Gaps: h.Gaps, Table: checkTable(h.Checks), Types: h.Types, Metrics: healthMetrics(h)}
	for _, check := range h.Checks {
		if len(check.Problems) == 0 {
			r.Cases = append(r.Cases, Case{Group: check.Name, Name: check.Name})
		}
		for _, p := range check.Problems {
			issue := newProblemIssue(p)
			result := CaseFailed
			if issue.Warning {
				result = CaseWarned
			}
			r.Cases = append(r.Cases, Case{
				Group: check.Name, Name: p.Subject.String(), Result: result, ID: p.Reason, Message: p.Message, Details: issue.lines()[1:],
			})
			r.Issues = append(r.Issues, issue)
		}
	}
	sortIssues(r.Issues)
	return r
}

// sortIssues puts those first that affect most, and warnings last.
func sortIssues(issues []Issue) {
	slices.SortStableFunc(issues, func(a, b Issue) int {
		switch {
		case a.Warning == b.Warning:
			return len(b.Affects) - len(a.Affects)
		case b.Warning:
			return -1
		}
		return 1
	})
}

func newProblemIssue(p stuck.Problem) Issue {
	i := Issue{Warning: p.State != stuck.Unhealthy, ID: p.Reason, Message: p.Message, Evidence: slices.Concat(p.Evidence, p.Impact), Steps: p.Steps}
	for _, o := range stuck.BlockedBy(p) {
		i.Affects = append(i.Affects, o.RefInNamespace())
	}
	return i
}

// checkTable is the table of the checks.
func checkTable(checks []stuck.Check) *metav1.Table {
	table := &metav1.Table{}
	for _, name := range []string{"Check", "Result", "Summary"} {
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for _, c := range checks {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{c.Name, results[c.State()], c.Summary}})
	}
	return table
}

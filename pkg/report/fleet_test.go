package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var fleetClusters = []report.Cluster{{Name: "prod"}, {Name: hostile, Error: "refused"}, {Name: "west", NotFound: "no namespace"}, {Name: "east"}}

// A cluster that could not be read has a row without numbers, and a count of what may be more says so.
func TestFleetHealthTable(t *testing.T) {
	problem := stuck.Check{Name: "watch", Problems: []stuck.Problem{{State: stuck.Unhealthy}, {State: stuck.Warning}}}
	found := []*stuck.Health{{Version: "v1.37.1", StuckObjects: 4, Checks: []stuck.Check{problem}}, nil, nil, {Version: "v1.36.0", StuckObjects: 2, Gaps: []stuck.Gap{{Source: "pods"}}}}
	got := output(t, func(out io.Writer) error {
		return (&report.TableWriter{Columns: report.ColumnWriter{Gap: 2}}).Write(out, report.FleetHealthTable(fleetClusters, found))
	})
	lines := strings.Split(got, "\n")
	for i, want := range []string{"CLUSTER RESULT PROBLEMS WARNINGS STUCK BLOCKED KUBERNETES", "prod PROBLEM 1 1 4 0 v1.37.1", "UNREAD - - - - -", "west - - - - - -", "east INCOMPLETE 0 0 2+ 0 v1.36.0"} {
		if !strings.HasSuffix(strings.Join(strings.Fields(lines[i]), " "), want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if len(lines) != 6 {
		t.Errorf("a name breaks the table:\n%s", got)
	}
}

// What would get stuck is counted apart from what is not known.
func TestFleetPreflightTable(t *testing.T) {
	unknown := stuckWidget("u")
	unknown.Verdict = stuck.Unknown
	working := stuckWidget("p")
	working.Verdict = stuck.Progressing
	results := []*preflight.Result{{Outcome: preflight.GetsStuck, Objects: 7, Diagnoses: []*stuck.Diagnosis{stuckWidget("w"), unknown, working}}, nil, nil, {Outcome: preflight.GoesThrough}}
	got := output(t, func(out io.Writer) error {
		return (&report.TableWriter{Columns: report.ColumnWriter{Gap: 2}}).Write(out, report.FleetPreflightTable(fleetClusters, results))
	})
	for _, want := range []string{"CLUSTER OUTCOME OBJECTS GET STUCK UNKNOWN", "prod GetsStuck 7 1 1", "UNREAD - - -", "west - - - -", "east GoesThrough 0 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("it has no %q:\n%s", want, got)
		}
	}
}

// The names of clusters come from files that others may have written.
func TestReportsOfHostileClusters(t *testing.T) {
	parts := []report.ClusterReport{{Cluster: hostile, Report: hostileReport()}, report.NewUnreadReport("list", hostile, hostile)}
	for _, format := range report.ReportFormats {
		text := writeReport(t, format, report.JoinReports("Two clusters.", parts))
		switch {
		case strings.ContainsAny(text, "\x00\x1b"):
			t.Errorf("%s has control characters", format)
		case format == "github" && strings.Count(text, "\n::") != 3: // after the first
			t.Errorf("a name breaks a line:\n%q", text)
		case (format == "html" || format == "markdown") && strings.Contains(strings.ReplaceAll(text, "\n# @all <img", ""), "<img"):
			t.Errorf("a name is an element of %s", format)
		}
	}
	if read := readJUnit(t, writeReport(t, "junit", report.JoinReports("", parts))); read.Failures != 1 || read.Errors != 2 || len(read.Cases) != 3 {
		t.Errorf("%+v", read)
	}
}

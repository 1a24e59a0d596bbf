package report_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What a later run finds is new, changed or ended, and a check that reads less than before ends nothing.
func TestHealthLog(t *testing.T) {
	start := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	problem := func(name, message string, blocks ...string) stuck.Problem {
		return stuck.Problem{
			State: stuck.Unhealthy, Reason: "watch-cut", Subject: stuck.Culprit{Kind: "type", Name: name}, Message: message,
			Evidence: []string{"evidence of " + name}, Blocks: ordersNamed(blocks...),
		}
	}
	run := func(incomplete bool, problems ...stuck.Problem) stuck.Health {
		return stuck.Health{Checks: []stuck.Check{{Name: "watch", Summary: "1 of 2 watches", Problems: problems, Incomplete: incomplete}}}
	}
	pods, jobs := problem("pods", "the watch on pods ended after 3s"), problem("jobs", "the watch on jobs is rejected")
	steps := []struct {
		h       stuck.Health
		failure string
		want    string
	}{
		{run(false, pods), "", ""},
		{run(false, problem("pods", "the watch on pods ended after 4s"), jobs), "", "10:02:00Z  new  PROBLEM  the watch on jobs is rejected (watch)\n  - evidence of jobs\n"},
		{run(true, pods), "", "10:03:00Z  check watch is incomplete: 1 of 2 watches\n"},
		{run(false, problem("pods", "the watch on pods ended after 3s", "a", "b")), "", "10:04:00Z  check watch is complete again\n\n10:04:00Z  changed  PROBLEM  the watch on pods ended after 3s (watch)\n  blocks 2 deletions: 2 orders.orders.example.com -n warehouse (a, b)\n  - evidence of pods\n10:04:00Z  ended  PROBLEM  the watch on jobs is rejected (watch), first seen 2m ago\n"},
		{stuck.Health{}, "connection refused", "10:05:00Z  the checks failed: connection refused\n"},
		{stuck.Health{}, "connection refused", ""},
		{run(false, pods, jobs), "", "10:07:00Z  the checks run again\n\n10:07:00Z  new  PROBLEM  the watch on jobs is rejected (watch)"},
		{run(true, pods), "", "10:08:00Z  check watch is incomplete"},
	}
	log := report.NewHealthLog(start, run(false, pods))
	for i, step := range steps {
		var out strings.Builder
		if err := log.Write(&out, start.Add(time.Duration(i+1)*time.Minute), step.h, step.failure, 200); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.HasPrefix(strings.TrimPrefix(got, "\n"), step.want) || step.want == "" && got != "" {
			t.Errorf("run %d prints\n%s\nnot\n%s", i+1, got, step.want)
		}
	}
	var out strings.Builder
	if err := log.WriteSummary(&out, start.Add(9*time.Minute), 200); err != nil {
		t.Fatal(err)
	}
	const want = `
Watched for 9m: 9 runs of the checks (2 failed), 2 findings, of which 0 ended.

RESULT   FIRST SEEN            LAST SEEN             RUNS    NOW        PROBLEM
PROBLEM  2026-01-02T10:00:00Z  2026-01-02T10:08:00Z  7 of 7  open       the watch on pods ended after 3s (watch)
PROBLEM  2026-01-02T10:02:00Z  2026-01-02T10:07:00Z  2 of 7  not known  the watch on jobs is rejected (watch)
`
	if got := out.String(); got != want {
		t.Errorf("the summary is\n%s\nnot\n%s", got, want)
	}
}

// A problem that is not found has not ended where something could not be read that was read when it was found. The
// server's clock may go back.
func TestHealthLogEndsOnlyWhatWouldBeFound(t *testing.T) {
	start := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	quota := stuck.Problem{State: stuck.Unhealthy, Reason: "quota-stale", Message: "resourcequota/q is not updated"}
	run := func(c stuck.Check, gaps ...string) stuck.Health {
		h := stuck.Health{Checks: []stuck.Check{{Name: "controllers", Summary: c.Summary, Problems: c.Problems, Incomplete: c.Incomplete, Inconclusive: c.Inconclusive}}}
		for _, source := range gaps {
			h.Gaps = append(h.Gaps, stuck.Gap{Source: source, Error: "forbidden"})
		}
		return h
	}
	found := stuck.Check{Problems: []stuck.Problem{quota}}
	incompleteFound := stuck.Check{Problems: []stuck.Problem{quota}, Incomplete: true}
	for name, test := range map[string]struct {
		first, second stuck.Health
		after         time.Duration
		want          string
	}{
		"all was read":                     {first: run(found), second: run(stuck.Check{}), want: "ended"},
		"the same was not read":            {first: run(incompleteFound, "/metrics"), second: run(stuck.Check{Incomplete: true}, "/metrics"), want: "ended"},
		"less was not read":                {first: run(incompleteFound, "/metrics", "pods"), second: run(stuck.Check{Incomplete: true}, "pods"), want: "ended"},
		"nothing was checked":              {first: run(incompleteFound, "/metrics"), second: run(stuck.Check{Incomplete: true, Inconclusive: true}), want: "not known"},
		"something else was not read":      {first: run(incompleteFound, "/metrics"), second: run(stuck.Check{Incomplete: true}, "/metrics", "leases"), want: "not known"},
		"a gap of a complete check":        {first: run(found), second: run(stuck.Check{}, "the time"), want: "not known"},
		"one of several servers":           {first: run(found), second: run(stuck.Check{Inconclusive: true}), want: "not known"},
		"the clock goes back":              {first: run(found), second: run(stuck.Check{}), after: -time.Hour, want: "ended"},
		"the clock goes back, still found": {first: run(found), second: run(found), after: -time.Hour, want: "open"},
	} {
		t.Run(name, func(t *testing.T) {
			log := report.NewHealthLog(start, test.first)
			var events, summary strings.Builder
			if err := errors.Join(log.Write(&events, start.Add(test.after), test.second, "", 200), log.WriteSummary(&summary, start.Add(time.Hour), 200)); err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(events.String(), "ended  PROBLEM"); said != (test.want == "ended") {
				t.Errorf("it prints\n%s", events.String())
			}
			if !strings.Contains(summary.String(), "of 2  "+test.want+" ") {
				t.Errorf("it is not %q now:\n%s", test.want, summary.String())
			}
		})
	}
}

// What a deletion took at most is not rounded down.
func TestHealthLogRoundsUp(t *testing.T) {
	start := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for took, want := range map[time.Duration]string{
		90*time.Second + time.Millisecond: "91s", 9*time.Minute + 59*time.Second: "9m59s", 10*time.Minute + time.Second: "11m",
		7*time.Hour + 59*time.Minute + time.Second: "8h", 8*time.Hour + time.Minute: "9h", 50*time.Hour + time.Second: "2d3h", 8*24*time.Hour + time.Second: "9d", -time.Second: "0s",
	} {
		shop := stuck.Object{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop", UID: "shop", DeletionTime: start}
		log := report.NewHealthLog(start, stuck.Health{DeletingNamespaces: []stuck.Object{shop}})
		var out strings.Builder
		if err := log.Write(&out, start.Add(took), stuck.Health{DeletingNamespaces: []stuck.Object{}}, "", 200); err != nil || !strings.Contains(out.String(), "at most "+want+" after") {
			t.Errorf("of %s it says %q, not %s, %v", took, out.String(), want, err)
		}
	}
}

// Of many problems that have ended the last are shown, and all are counted.
func TestHealthLogForgetsEndedProblems(t *testing.T) {
	start := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	log := report.NewHealthLog(start, stuck.Health{})
	for n := range 700 {
		p := stuck.Problem{State: stuck.Warning, Reason: "lease-expired", Subject: stuck.Culprit{Kind: "Lease", Name: fmt.Sprintf("l%d", n)}, Message: fmt.Sprintf("lease/l%d expired", n)}
		if err := log.Write(io.Discard, start.Add(time.Duration(n)*time.Minute), stuck.Health{Checks: []stuck.Check{{Name: "controllers", Problems: []stuck.Problem{p}}}}, "", 200); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := log.WriteSummary(&out, start.Add(700*time.Minute), 200); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	if !strings.Contains(text, "700 findings, of which 699 ended. 199 that ended are not shown.") || strings.Contains(text, "lease/l198 ") || !strings.Contains(text, "lease/l199 ") || !strings.Contains(text, "lease/l699 ") {
		t.Errorf("it prints %.300s", text)
	}
}

// A namespace that is no longer being deleted was deleted, and one that could not be read was not.
func TestHealthLogOfNamespaces(t *testing.T) {
	start := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	namespaces := func(names ...string) []stuck.Object {
		out := []stuck.Object{}
		for _, name := range names {
			out = append(out, stuck.Object{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: name, UID: types.UID(name), DeletionTime: start})
		}
		return out
	}
	log := report.NewHealthLog(start, stuck.Health{DeletingNamespaces: namespaces("shop", "held")})
	var out strings.Builder
	for i, deleting := range [][]stuck.Object{nil, namespaces("shop", "held"), namespaces("held"), namespaces("held")} {
		if err := log.Write(&out, start.Add(time.Duration(i+1)*time.Minute), stuck.Health{DeletingNamespaces: deleting}, "", 200); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.WriteSummary(&out, start.Add(5*time.Minute), 200); err != nil {
		t.Fatal(err)
	}
	const want = `10:03:00Z  namespace/shop was deleted, at most 3m after the request

Watched for 5m: 5 runs of the checks, 0 findings, of which 0 ended. Deleted meanwhile: 1 namespace,
each in at most 3m.
`
	if out.String() != want {
		t.Errorf("it prints\n%s\nnot\n%s", out.String(), want)
	}
}

package report_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// hostile is a text of everything that could mean something to one of the formats.
const hostile = "a\n::error title=x::y\r\n| `b` ```\n# @all <img src=x> ]]> & \"q\" {z=\"1\"} \\ %0A \x00\x1b[31m \uffff \xff"

func hostileReport() report.Report {
	d := stuckWidget(hostile, stuckWidget(hostile+"2"))
	d.Object.Namespace, d.Object.Finalizers = hostile, []string{hostile}
	d.Findings[0].Message, d.Findings[0].Evidence, d.Findings[0].Cause = hostile, []string{hostile}, hostile
	d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: hostile, Command: hostile}}
	d.Controllers = []stuck.Controller{{Workload: &stuck.Culprit{Kind: "Deployment", Name: hostile}}}
	return report.NewReport("list", []*stuck.Diagnosis{d}, []stuck.Gap{{Source: hostile, Error: hostile}}, now)
}

func writeReport(t *testing.T, format string, r report.Report) string {
	t.Helper()
	return output(t, func(out io.Writer) error { return report.WriteReport(out, format, r) })
}

// junit is what a reader of JUnit XML gets.
type junit struct {
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Cases    []struct {
		Name    string `xml:"name,attr"`
		Failure *struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"failure"`
		Error *struct {
			Message string `xml:"message,attr"`
		} `xml:"error"`
	} `xml:"testsuite>testcase"`
}

func readJUnit(t *testing.T, text string) junit {
	t.Helper()
	var read junit
	if err := xml.Unmarshal([]byte(text), &read); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return read
}

func TestJUnitOfHostileNames(t *testing.T) {
	text := writeReport(t, "junit", hostileReport())
	read := readJUnit(t, text)
	if read.Failures != 1 || read.Errors != 1 || len(read.Cases) != 2 || read.Cases[0].Failure.Type == "" || !strings.Contains(read.Cases[0].Failure.Text, "]]>") {
		t.Errorf("%+v:\n%s", read, text)
	}
	if strings.ContainsAny(text, "\x00\x1b\uffff\r") || strings.Contains(text, "\n::error") {
		t.Errorf("%q", text)
	}
}

func TestGitHubOfHostileNames(t *testing.T) {
	for line := range strings.Lines(writeReport(t, "github", hostileReport())) {
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		properties, _, _ := strings.Cut(strings.TrimPrefix(line, "::"+command+" title="), "::")
		if command != "error" && command != "warning" || strings.ContainsAny(properties, ":,\r\n") || strings.Contains(line, " %0A") || strings.ContainsAny(line, "\x00\x1b\r") {
			t.Errorf("%q", line)
		}
	}
}

func TestMarkdownOfHostileNames(t *testing.T) {
	text := writeReport(t, "markdown", hostileReport())
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marks) >= 3:
			fence = marks
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
		case strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 7:
			t.Errorf("a row of other cells: %q", line)
		case strings.Contains(line, "<img") || strings.Contains(line, "@all") || strings.Contains(strings.ReplaceAll(line, "\\`", ""), "`"):
			t.Errorf("%q", line)
		}
	}
	if fence != "" || strings.ContainsAny(text, "\x00\x1b\r") || strings.Contains(text, "\n::error") && !strings.Contains(text, "````sh") {
		t.Errorf("%q", text)
	}
}

func TestOpenMetricsOfHostileNames(t *testing.T) {
	text := writeReport(t, "openmetrics", hostileReport())
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Contains(text, "\n::error") {
		t.Errorf("%q", text)
	}
	// The text format of Prometheus has the same lines, but for the last.
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(strings.TrimSuffix(text, "# EOF\n")))
	if err != nil || len(families) != 3 {
		t.Fatalf("%v: %v", err, families)
	}
	labels := families["kubectl_finalizers_stuck_objects"].Metric[0].Label
	if len(labels) != 4 || labels[0].GetValue() != "widgets.example.com" {
		t.Errorf("%v", labels)
	}
}

// What is left of a wait is a failure, whether anything holds it or not, and what was deleted passes.
func TestWaitReport(t *testing.T) {
	living, deleted := stuckWidget("living"), stuckWidget("deleted")
	living.Object.DeletionTime, living.Findings, living.Verdict = time.Time{}, nil, ""
	r := report.NewWaitReport([]*stuck.Diagnosis{stuckWidget("w1"), living}, []stuck.Object{deleted.Object}, nil, now)
	read := readJUnit(t, writeReport(t, "junit", r))
	if read.Failures != 2 || len(read.Cases) != 3 || read.Cases[1].Failure.Type != "not-deleted" || read.Cases[2].Failure != nil {
		t.Errorf("%+v", read)
	}
	want := "::error title=controller-down%2C confirmed::its controller is down; affects 1 object: widget.example.com/w1 -n shop\n" +
		"::error title=not-deleted::not being deleted; affects 1 object: widget.example.com/living -n shop\n"
	if got := writeReport(t, "github", r); got != want || r.Headline != "2 of 3 objects are left, 1 deleted." {
		t.Errorf("%s: %s", r.Headline, got)
	}
}

// A health report has a case for each check and each problem; the problems that block most come first.
func TestReportOfHealth(t *testing.T) {
	warning := stuck.Problem{State: stuck.Warning, Reason: "slow", Subject: stuck.Culprit{Kind: "type", Name: "pods"}, Message: "pods are slow", Blocks: []stuck.Object{stuckWidget("w1").Object}}
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "webhook-down", Subject: stuck.Culprit{Kind: "Service", Namespace: "shop", Name: "hook"}, Message: "hook is down",
		Evidence: []string{"no endpoints"}, Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "look", Command: "kubectl get pods"}},
	}
	h := stuck.Health{
		Checks: []stuck.Check{{Name: "lists", Problems: []stuck.Problem{warning}, Incomplete: true}, {Name: "webhooks", Problems: []stuck.Problem{problem}}, {Name: "leases", Summary: "all held"}},
		Gaps:   []stuck.Gap{{Source: "nodes", Error: "forbidden"}},
	}
	r := report.NewHealthSummary(h)
	read := readJUnit(t, writeReport(t, "junit", r))
	if read.Failures != 1 || read.Skipped != 1 || read.Errors != 1 || len(read.Cases) != 4 || read.Cases[1].Failure.Type != "webhook-down" {
		t.Errorf("%+v", read)
	}
	want := "::error title=webhook-down::hook is down\n::warning title=slow::pods are slow; affects 1 object: widget.example.com/w1 -n shop\n" +
		"::warning title=could not be read::nodes: forbidden\n"
	if got := writeReport(t, "github", r); got != want {
		t.Errorf("%s", got)
	}
	for format, parts := range map[string][]string{
		"markdown": {"| webhooks | PROBLEM |", "### webhook-down\n\nhook is down\n\n- no endpoints\n\n**check**: look\n\n```sh\nkubectl get pods\n```\n", "- nodes: forbidden"},
		"openmetrics": {
			`kubectl_finalizers_health_problems{check="webhooks",reason="webhook-down",state="Unhealthy"} 1.0`, "kubectl_finalizers_health_blocked_objects 1.0",
			"kubectl_finalizers_health_incomplete_checks 1.0", "kubectl_finalizers_unread_sources 1.0\n# EOF\n",
		},
	} {
		text := writeReport(t, format, r)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in\n%s", part, text)
			}
		}
	}
}

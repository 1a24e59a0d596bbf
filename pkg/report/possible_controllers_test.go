package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// installations are controllers of the finalizer of a widget, with or without a pod that runs.
func installations(running ...stuck.RunState) []stuck.Controller {
	var out []stuck.Controller
	for i, state := range running {
		namespace := fmt.Sprintf("delta-%d", i)
		out = append(out, stuck.Controller{
			Finalizer: finalizer, Workload: &stuck.Culprit{Kind: "Deployment", Namespace: namespace, Name: "op"}, Certainty: stuck.Likely,
			Clues: []string{"set the finalizer"}, LogsCommand: "kubectl -n " + namespace + " logs deployment/op", Running: state, Health: []string{"deployment/op -n " + namespace + ": " + string(state)},
		})
	}
	return out
}

// Where clues point at several workloads alike, all are named, those that run first, and logs are read of what runs.
func TestSeveralPossibleControllers(t *testing.T) {
	d := stuckWidget("w1")
	d.Verdict, d.Findings, d.Unexplained = stuck.Unknown, nil, []string{finalizer}
	d.Controllers = installations(stuck.NotRunning, stuck.Running)
	want := `widget.example.com/w1 -n shop is stuck, and not fully explained: no cause was
    found for finalizer example.com/cleanup, whose controller is probably
    deployment/op -n delta-1 or deployment/op -n delta-0.

Verdict      Unknown
Deleted at   2026-03-01 00:00:00 UTC (3h ago)
Finalizers   example.com/cleanup (probably removed by deployment/op -n delta-1
             or deployment/op -n delta-0)

[1] not explained
    - deployment/op -n delta-0: No
    - deployment/op -n delta-0 may be the controller: it set the finalizer
    - deployment/op -n delta-1: Yes
    - deployment/op -n delta-1 may be the controller: it set the finalizer
  a) check: read the logs of deployment/op -n delta-1, possibly the controller
  kubectl -n delta-1 logs deployment/op

Force removal would leave behind
  unknown   cleanup for example.com/cleanup of widget.example.com/w1 is skipped
`
	if diff := cmp.Diff(want, explanationText(t, d)); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

// What runs is read, and of many not everything.
func TestLogsOfPossibleControllers(t *testing.T) {
	const yes, no = stuck.Running, stuck.NotRunning
	for name, test := range map[string]struct {
		states []stuck.RunState
		says   string
		logs   int
	}{
		"none runs":      {[]stuck.RunState{no, no}, "probably deployment/op -n delta-0 or deployment/op -n delta-1", 1},
		"both run":       {[]stuck.RunState{yes, yes}, "probably deployment/op -n delta-0 or deployment/op -n delta-1", 2},
		"it is not seen": {[]stuck.RunState{no, stuck.RunStateUnknown}, "probably deployment/op -n delta-1 or deployment/op -n delta-0", 1},
		"many run":       {[]stuck.RunState{yes, yes, yes, yes, yes}, "probably one of deployment/op -n delta-0, deployment/op -n delta-1, deployment/op -n delta-2 and 2 more", 3},
	} {
		d := stuckWidget("w1")
		d.Verdict, d.Findings, d.Unexplained = stuck.Unknown, nil, []string{finalizer}
		d.Controllers = installations(test.states...)
		text := strings.Join(strings.Fields(explanationText(t, d)), " ")
		if !strings.Contains(text, test.says) || strings.Count(text, " logs deployment/op") != test.logs {
			t.Errorf("%s: it does not say %q, or not %d commands for logs:\n%s", name, test.says, test.logs, text)
		}
	}
}

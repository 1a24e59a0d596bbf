package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// planDocument is a plan as it is printed.
func planDocument(p removal.Plan, token string) report.RemovalPlan {
	doc := report.RemovalPlan{
		APIVersion: report.APIVersion, Kind: "RemovalPlan", Server: p.Cluster.Server, Context: p.Cluster.Context, Token: token,
		Steps: []report.RemovalStep{},
	}
	for _, s := range p.Steps {
		doc.Steps = append(doc.Steps, report.RemovalStep{
			Item: report.NewItem(s.Object, s.Verdict), Remove: append([]string{}, s.Finalizers...), RemoveSpec: s.SpecFinalizers,
			LeftBehind: s.Costs, Overrides: append([]string{}, s.Overrides...), Requests: requests(s.Requests()),
		})
	}
	doc.Refusals, doc.Skipped = refusals(p.Refusals), refusals(p.Skipped)
	var events []removal.Request
	for _, n := range p.Events {
		events = append(events, n.Request(n.SelectSteps(p.Steps), time.Time{}))
	}
	doc.Events = requests(events)
	return doc
}

func refusals(rs []removal.Refusal) []report.RemovalRefusal {
	out := []report.RemovalRefusal{}
	for _, r := range rs {
		out = append(out, report.RemovalRefusal{Item: report.NewItem(r.Object, ""), Reason: r.Reason, Remedy: r.Fix})
	}
	return out
}

func requests(rs []removal.Request) []report.RemovalRequest {
	var out []report.RemovalRequest
	for _, r := range rs {
		out = append(out, report.RemovalRequest(r))
	}
	return out
}

func (o *removeOptions) printPlan(plan removal.Plan, token string) error {
	doc, out := planDocument(plan, token), o.program.Streams.Out
	switch o.output.chosen {
	case "":
		report.PlanText(out, doc)
		if token != "" {
			fmt.Fprint(out, confirmCommand(o.commandLine, token))
		}
		return nil
	case "name":
		if len(plan.Refusals) > 0 {
			report.PlanText(o.program.Streams.ErrOut, doc)
			return nil
		}
		for _, s := range plan.Steps {
			fmt.Fprintln(out, s.Object.Ref())
		}
		return nil
	}
	return o.output.printDocument(&doc, out)
}

// confirmCommand is what follows a plan that the API server accepts.
func confirmCommand(again, token string) string {
	return fmt.Sprintf("\nThe API server would accept all of it. To do exactly this:\n  %s --confirm %s\n", again, token)
}

func (o *removeOptions) printResults(run *removal.Run, results []removal.Result, gone, left []stuck.Object) error {
	doc, out := resultDocument(run, results, gone, left), o.program.Streams.Out
	switch o.output.chosen {
	case "":
		report.ResultText(out, doc)
		return nil
	case "name":
		for _, r := range results {
			if r.Outcome == removal.Done {
				fmt.Fprintln(out, r.Step.Object.Ref())
			}
		}
		return nil
	}
	return o.output.printDocument(&doc, out)
}

func resultDocument(run *removal.Run, results []removal.Result, gone, left []stuck.Object) report.RemovalResult {
	doc := report.RemovalResult{
		APIVersion: report.APIVersion, Kind: "RemovalResult", Server: run.Plan.Cluster.Server, Context: run.Plan.Cluster.Context, Backup: run.Backup.Dir,
		Items: []report.RemovalItem{}, Deleted: []report.Item{}, Remaining: []report.Item{},
	}
	for _, r := range results {
		doc.Items = append(doc.Items, report.RemovalItem{
			Item: report.NewItem(r.Step.Object, r.Step.Verdict), Outcome: string(r.Outcome), Message: r.Message, BackupFile: r.Saved.Path, Omitted: r.Saved.Omitted,
		})
	}
	for _, g := range gone {
		doc.Deleted = append(doc.Deleted, report.NewItem(g, ""))
	}
	for _, l := range left {
		doc.Remaining = append(doc.Remaining, report.NewItem(l, ""))
	}
	return doc
}

// backupRoot is the folder that holds the saved copies of all runs.
func (o *removeOptions) backupRoot() (string, error) {
	if o.backupDir != "" {
		return o.backupDir, nil
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // as the XDG Base Directory Specification has it
		return filepath.Join(state, "kubectl-finalizers"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("nothing was changed: there is no home folder to save copies in: pass --backup-dir")
	}
	return filepath.Join(home, ".local", "state", "kubectl-finalizers"), nil
}

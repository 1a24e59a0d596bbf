package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// planDocument is a plan as it is printed.
func planDocument(p removal.Plan, token string) report.RemovalPlan {
	doc := report.RemovalPlan{
		APIVersion: report.APIVersion, Kind: "RemovalPlan", Server: p.Server, Context: p.Context, Token: token,
		Steps: []report.RemovalStep{}, Refusals: []report.RemovalRefusal{},
	}
	for _, s := range p.Steps {
		doc.Steps = append(doc.Steps, report.RemovalStep{
			Item: report.ItemOf(s.Object, s.Verdict), Remove: append([]string{}, s.Finalizers...), RemoveSpec: s.Spec,
			Leaves: s.Costs, Overrides: append([]string{}, s.Overrides...), Requests: requests(s),
		})
	}
	for _, r := range p.Refusals {
		doc.Refusals = append(doc.Refusals, report.RemovalRefusal{Item: report.ItemOf(r.Object, ""), Why: r.Why, Way: r.Way})
	}
	return doc
}

func requests(s removal.Step) []report.RemovalRequest {
	var out []report.RemovalRequest
	for _, r := range s.Requests() {
		out = append(out, report.RemovalRequest(r))
	}
	return out
}

func (o *removeOptions) printPlan(plan removal.Plan, token string) error {
	doc := planDocument(plan, token)
	switch o.format {
	case "json", "yaml":
		return o.printDocument(&doc)
	case "name":
		for _, s := range plan.Steps {
			fmt.Fprintln(o.program.Streams.Out, s.Object.Ref())
		}
		return nil
	}
	report.PlanText(o.program.Streams.Out, doc)
	if token != "" {
		fmt.Fprintf(o.program.Streams.Out, "\nThe API server would accept all of it. To do exactly this: --confirm %s\n", token)
	}
	return nil
}

func (o *removeOptions) printDocument(doc any) error {
	printer, err := genericclioptions.NewJSONYamlPrintFlags().ToPrinter(o.format)
	if err != nil {
		return err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(doc)
	if err != nil {
		return err
	}
	return printer.PrintObj(&unstructured.Unstructured{Object: object}, o.program.Streams.Out)
}

func (o *removeOptions) printResults(run *removal.Run, results []removal.Result, left []stuck.Object) error {
	out := o.program.Streams.Out
	switch o.format {
	case "json", "yaml":
		doc := resultDocument(run, results, left)
		return o.printDocument(&doc)
	case "name":
		for _, r := range results {
			if r.Outcome == removal.Done {
				fmt.Fprintln(out, r.Step.Object.Ref())
			}
		}
		return nil
	}
	for _, r := range results {
		if len(results) <= 20 || r.Outcome != removal.Done {
			fmt.Fprintf(out, "%s %s: %s\n", r.Step.Object.Ref(), r.Outcome, r.Says)
		}
		if r.Omitted != "" {
			fmt.Fprintf(out, "%s: the saved copy is without %s\n", r.Step.Object.Ref(), r.Omitted)
		}
	}
	o.printSummary(run, results)
	for _, l := range left {
		fmt.Fprintf(out, "%s is still there: kubectl finalizers explain %s\n", l.Ref(), inPlace(l))
	}
	return nil
}

func (o *removeOptions) printSummary(run *removal.Run, results []removal.Result) {
	if len(results) == 0 {
		return
	}
	count := tally(results)
	fmt.Fprintf(o.program.Streams.Out, "%d done, %d gone by themselves, %d refused, %d failed, %d left; saved copies and audit.jsonl in %s\n",
		count[removal.Done], count[removal.Gone], count[removal.Refused], count[removal.Failed], count[removal.Left], run.Backup.Dir)
}

func inPlace(o stuck.Object) string {
	if o.Namespace == "" {
		return o.Ref()
	}
	return o.Ref() + " -n " + o.Namespace
}

func resultDocument(run *removal.Run, results []removal.Result, left []stuck.Object) report.RemovalResult {
	doc := report.RemovalResult{
		APIVersion: report.APIVersion, Kind: "RemovalResult", Server: run.Plan.Server, Backup: run.Backup.Dir,
		Items: []report.RemovalItem{}, Left: []report.Item{},
	}
	for _, r := range results {
		doc.Items = append(doc.Items, report.RemovalItem{
			Item: report.ItemOf(r.Step.Object, r.Step.Verdict), Outcome: string(r.Outcome), Says: r.Says, Saved: r.Saved, Omitted: r.Omitted,
		})
	}
	for _, l := range left {
		doc.Left = append(doc.Left, report.ItemOf(l, ""))
	}
	return doc
}

// backups is the folder that holds the saved copies of all runs.
func (o *removeOptions) backups() (string, error) {
	if o.backupDir != "" {
		return o.backupDir, nil
	}
	if state := os.Getenv("XDG_STATE_HOME"); state != "" {
		return filepath.Join(state, "kubectl-finalizers"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder to save copies in: pass --backup-dir")
	}
	return filepath.Join(home, ".local", "state", "kubectl-finalizers"), nil
}

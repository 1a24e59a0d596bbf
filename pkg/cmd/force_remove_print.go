package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

func (o *removeOptions) printPlan(plan removal.Plan, token string) error {
	out := o.program.Streams.Out
	switch o.output.chosen {
	case "":
		report.PlanText(out, plan)
		if token != "" {
			fmt.Fprint(out, confirmCommand(o.commandLine, token))
		}
		return nil
	case "name":
		if len(plan.Refusals) > 0 {
			report.PlanText(o.program.Streams.ErrOut, plan)
			return nil
		}
		for _, s := range plan.Steps {
			fmt.Fprintln(out, s.Object.Ref())
		}
		return nil
	}
	return o.output.printDocument(report.NewRemovalPlan(plan, token), out)
}

// confirmCommand is what follows a plan that the API server accepts.
func confirmCommand(again, token string) string {
	return fmt.Sprintf("\nThe API server would accept all of it. To do exactly this:\n  %s --confirm %s\n", again, token)
}

func (o *removeOptions) printReport(r removal.Report) error {
	out := o.program.Streams.Out
	switch o.output.chosen {
	case "":
		report.ResultText(out, r)
		return nil
	case "name":
		for _, result := range r.Results {
			if result.Outcome == removal.Done {
				fmt.Fprintln(out, result.Step.Object.Ref())
			}
		}
		return nil
	}
	return o.output.printDocument(report.NewRemovalResult(r), out)
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

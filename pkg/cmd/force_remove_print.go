package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// printPlan prints a plan that is not carried out: token confirms it, where the API
// server has accepted it as a dry run.
func (o *removeOptions) printPlan(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis, token string) error {
	out := o.program.Streams.Out
	screen := report.PlanScreen{Plan: plan, Targets: targets, Now: o.source.Now(), DryRunAccepted: token != ""}
	switch o.output.chosen {
	case "":
		screen.User = username(ctx, o.remote)
		report.PlanText(out, screen)
		if token != "" {
			fmt.Fprint(out, confirmCommand(o.given, token))
		}
		return nil
	case "name":
		if len(plan.Refusals) > 0 {
			screen.User = username(ctx, o.remote)
			report.PlanText(o.program.Streams.ErrOut, screen)
			return nil
		}
		for _, s := range plan.Steps {
			fmt.Fprintln(out, stuck.EscapeLine(s.Object.Ref()))
		}
		return nil
	}
	return o.output.printDocument(report.NewRemovalPlan(plan, token), out)
}

// restoreCommand restores a folder as the same user in the same cluster, up to the
// name of the folder.
func restoreCommand(c *cobra.Command) string {
	words := []string{c.Root().CommandPath(), "restore"}
	for _, word := range flagWords(c.InheritedFlags()) {
		if !strings.HasPrefix(word, "--namespace=") { // copies say theirs
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// confirmCommand is what follows a plan that the API server accepts.
func confirmCommand(given givenCommand, token string) string {
	return fmt.Sprintf("\nTo carry out exactly this plan:\n  %s\n", given.with("--confirm", token))
}

func (o *removeOptions) printReport(r removal.Report) error {
	out := o.program.Streams.Out
	switch o.output.chosen {
	case "":
		report.ResultText(out, r, o.restoreCommand)
		return nil
	case "name":
		for _, result := range r.Results {
			if result.Outcome == removal.Done {
				fmt.Fprintln(out, stuck.EscapeLine(result.Step.Object.Ref()))
			}
		}
		return nil
	}
	return o.output.printDocument(report.NewRemovalResult(r), out)
}

// backupRoot is the folder that holds the saved copies of all runs: the one that was
// given, or that of the user's state.
func backupRoot(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // as the XDG Base Directory Specification has it
		return filepath.Join(state, "kubectl-finalizers"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder for saved copies: set HOME or XDG_STATE_HOME")
	}
	return filepath.Join(home, ".local", "state", "kubectl-finalizers"), nil
}

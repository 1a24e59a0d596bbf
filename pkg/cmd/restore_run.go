package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Run says what would be done, proves it, asks, and does it.
func (o *restoreOptions) Run(ctx context.Context) error {
	current, err := o.remote.Cluster.Identify(ctx, o.source)
	if err != nil {
		return err
	}
	if err := o.checkOrigin(current); err != nil {
		return err
	}
	steps, err := o.plan(ctx)
	if err != nil {
		return err
	}
	ctx = cluster.WithoutReadBudget(ctx) // what follows takes as long as there are objects
	if err := o.printPlan(current, steps); err != nil {
		return err
	}
	run := &removal.RestoreRun{Source: o.source, Writer: o.remote.Writer}
	var refused error
	for _, d := range steps {
		switch {
		case d.Refused:
			refused = exitRefused
		case d.Reason == "":
			run.Steps = append(run.Steps, d)
		}
	}
	if o.dryRun == cmdutil.DryRunClient || len(run.Steps) == 0 {
		return refused
	}
	if failed := run.DryRun(ctx); len(failed) > 0 {
		o.printFailures("the API server would refuse, in a dry run, to restore ", failed)
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
		return exitRefused
	}
	if o.dryRun == cmdutil.DryRunServer {
		fmt.Fprint(o.program.Streams.Out, confirmCommand(o.commandLine, removal.RestoreToken(current, steps)))
		return refused
	}
	if err := o.apply(ctx, run, current, removal.RestoreToken(current, steps)); err != nil {
		return err
	}
	return refused
}

// checkOrigin refuses copies from another cluster, and those that do not say from
// which, unless that is what the user wants.
func (o *restoreOptions) checkOrigin(current removal.Cluster) error {
	for _, s := range o.saved {
		switch {
		case o.fromAnotherCluster || s.Cluster.SameAs(current):
		case s.Cluster.Server == "":
			return fmt.Errorf("%s does not say from which cluster it is, so nothing was changed; if it belongs to %s, pass --from-another-cluster", s.File, current.Server)
		default:
			return fmt.Errorf("%s is from the cluster at %s, and this is another one at %s, so nothing was changed; choose that one with --context, or pass --from-another-cluster",
				s.File, s.Cluster.Server, current.Server)
		}
	}
	return nil
}

// plan says for each saved copy what it takes.
func (o *restoreOptions) plan(ctx context.Context) ([]removal.RestoreStep, error) {
	served, err := discover(ctx, o.source)
	if err != nil {
		return nil, err
	}
	view := cluster.NewView(ctx, o.source, served.types, served.gaps)
	var steps []removal.RestoreStep
	for _, s := range o.saved {
		t, ok := view.TypeForKind(s.Object.GroupVersionKind().GroupKind())
		if !ok {
			steps = append(steps, removal.UnservedStep(s, served.gaps))
			continue
		}
		step, err := removal.PlanRestore(ctx, o.source, view, t, s)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// printPlan lists the steps; of many that are similar, their number. What has
// power is always named, and shown whole.
func (o *restoreOptions) printPlan(current removal.Cluster, steps []removal.RestoreStep) error {
	out := o.program.Streams.Out
	fmt.Fprintf(out, "In cluster %s (context %s)\n", current.Server, current.Context)
	groups := map[string][]removal.RestoreStep{}
	var order []string
	for _, d := range steps {
		key := d.TypeInNamespace() + d.Description()
		if d.IsPrivileged() {
			key = d.SavedCopy.File
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], d)
	}
	for _, key := range order {
		group := groups[key]
		if len(group) > stuck.MaxUngrouped {
			fmt.Fprintf(out, "  %d %s, such as %s: %s\n", len(group), group[0].TypeInNamespace(), group[0].SavedCopy.Object.GetName(), group[0].Description())
			continue
		}
		for _, d := range group {
			fmt.Fprintf(out, "  %s: %s\n", d.RefInNamespace(), d.Description())
			if err := printWhole(out, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// printWhole shows an object that has power as it would be created.
func printWhole(out io.Writer, d removal.RestoreStep) error {
	if !d.IsPrivileged() || !d.Creates() {
		return nil
	}
	text, err := yamltext.Marshal(d.Request().Body)
	if err != nil {
		return fmt.Errorf("printing %s: %w", d.Ref(), err)
	}
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(out, "      "+line)
	}
	return nil
}

// printFailures tells what failed, a line each.
func (o *restoreOptions) printFailures(what string, failed []string) {
	fmt.Fprintln(o.program.Streams.ErrOut, what+strings.Join(failed, "\n"+what))
}

// apply asks, restores what can be, and says what could not.
func (o *restoreOptions) apply(ctx context.Context, run *removal.RestoreRun, current removal.Cluster, token string) (err error) {
	if run.Audit, err = openAudit(ctx, o.remote, o.source, o.dir, current); err != nil {
		return fmt.Errorf("nothing was changed: %w; copy the saved copies to a folder that can be written to", err)
	}
	defer run.Audit.Close()
	c := confirmation{
		streams: o.program.Streams, yes: o.yes, givenToken: o.confirm, token: token, show: func() {},
		warning: "This writes to the cluster.", expected: strconv.Itoa(len(run.Steps)), expectedName: "the number of objects",
	}
	if len(run.Steps) == 1 {
		c.expected, c.expectedName = run.Steps[0].SavedCopy.Object.GetName(), "the name of the object"
	}
	if err := c.ask(ctx); err != nil {
		return err
	}
	progress := newProgress(o.program.terminal)
	run.Progress = progress.steps
	stop := o.program.announceInterrupt(ctx, o.remote.Writer)
	failed := run.Apply(ctx)
	stop()
	progress.done()
	fmt.Fprintf(o.program.Streams.Out, "%d restored; each write is noted in %s\n", len(run.Steps)-len(failed), filepath.Join(o.dir, removal.AuditFile))
	if len(failed) > 0 {
		o.printFailures("could not restore ", failed)
		return exitFailed
	}
	return nil
}

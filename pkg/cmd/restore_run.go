package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Run plans, sends the plan as a dry run, asks, and restores.
func (o *restoreOptions) Run(ctx context.Context) error {
	screen := report.RestoreScreen{Dir: o.dir}
	var err error
	if screen.Cluster, err = o.remote.Cluster.Identify(ctx, o.source); err != nil {
		return err
	}
	if err := o.checkOrigin(screen.Cluster); err != nil {
		return err
	}
	if screen.Steps, err = o.plan(ctx); err != nil {
		return err
	}
	ctx = cluster.WithoutReadBudget(ctx) // what follows takes as long as there are objects
	if err := report.RestorePlanText(o.textStream(), screen); err != nil {
		return err
	}
	run := &removal.RestoreRun{Source: o.source, Writer: o.remote.Writer}
	var refused error
	for _, s := range screen.Steps {
		switch s.Action() {
		case removal.Refuse:
			refused = exitRefused
		case removal.Recreate, removal.AddFinalizers:
			run.Steps = append(run.Steps, s)
		case removal.NoAction:
		}
	}
	if o.dryRun == cmdutil.DryRunClient || len(run.Steps) == 0 {
		return o.printDocument(screen, refused)
	}
	if err := o.dryRunPlan(ctx, run); err != nil {
		return o.printDocument(screen, err)
	}
	token := removal.RestoreToken(screen.Cluster, screen.Steps)
	if o.dryRun == cmdutil.DryRunServer {
		fmt.Fprint(o.textStream(), confirmCommand(o.given, token))
		screen.Token = token
		return o.printDocument(screen, refused)
	}
	var failed error
	if screen.Results, failed = o.apply(ctx, run, screen.Cluster, token); screen.Results == nil {
		return failed
	}
	return o.printDocument(screen, cmp.Or(failed, refused))
}

// textStream is where the plan is printed: not where the document goes.
func (o *restoreOptions) textStream() io.Writer {
	if o.output.chosen != "" {
		return o.program.Streams.ErrOut
	}
	return o.program.Streams.Out
}

// printDocument prints the document, if one is asked for, and gives back how the command
// ends.
func (o *restoreOptions) printDocument(screen report.RestoreScreen, end error) error {
	if o.output.chosen == "" {
		return end
	}
	return cmp.Or(o.output.printDocument(report.NewRestoreDocument(screen), o.program.Streams.Out), end)
}

// dryRunPlan sends every request as a dry run, and says what is rejected.
func (o *restoreOptions) dryRunPlan(ctx context.Context, run *removal.RestoreRun) error {
	results := run.DryRun(ctx)
	if !slices.ContainsFunc(results, func(r removal.RestoreResult) bool { return r.Outcome != removal.Done }) {
		report.RestoreDryRunText(o.textStream(), len(results))
		return nil
	}
	errOut := o.program.Streams.ErrOut
	fmt.Fprintln(errOut, "the API server rejects the dry run:")
	report.RestoreFailures(errOut, results)
	fmt.Fprintln(errOut, "nothing was changed")
	return exitRefused
}

// checkOrigin refuses copies from another cluster, and those that do not say from
// which, unless that is what the user wants.
func (o *restoreOptions) checkOrigin(current removal.Cluster) error {
	for _, s := range o.saved {
		switch {
		case o.fromAnotherCluster || s.Cluster.SameAs(current):
		case s.Cluster.Server == "":
			return fmt.Errorf("%s does not say which cluster it is from, so nothing was changed; if it belongs to %s, pass --from-another-cluster", s.File, current.Server)
		default:
			return fmt.Errorf("%s is from the cluster at %s, and this is the one at %s, so nothing was changed; choose its cluster with --context, or pass --from-another-cluster",
				s.File, s.Cluster.Server, current.Server)
		}
	}
	return nil
}

// plan says what restoring each saved copy takes.
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

// apply asks, restores what can be restored, and says what failed. Without results nothing
// was sent.
func (o *restoreOptions) apply(ctx context.Context, run *removal.RestoreRun, current removal.Cluster, token string) (results []removal.RestoreResult, err error) {
	if run.Audit, err = openAudit(ctx, o.remote, o.source, o.dir, current); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w; copy the saved copies to a folder that can be written to", err)
	}
	defer func() { err = cmp.Or(run.Audit.Close(), err) }()
	c := confirmation{
		streams: o.program.Streams, yes: o.yes, givenToken: o.confirm, token: token, show: func() {},
		warning: "This writes to the cluster.", expected: strconv.Itoa(len(run.Steps)), expectedName: "the number of objects",
	}
	if len(run.Steps) == 1 {
		c.expected, c.expectedName = run.Steps[0].SavedCopy.Object.GetName(), "the name of the object"
	}
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	progress := newProgress(o.program.terminal)
	run.Progress = progress.steps
	stop := o.program.announceInterrupt(ctx, o.remote.Writer)
	began := o.program.Clock()
	results = run.Apply(ctx)
	stop()
	progress.done()
	restored := 0
	for _, r := range results {
		if r.Outcome == removal.Done {
			restored++
		}
	}
	report.RestoreFailures(o.program.Streams.ErrOut, results)
	fmt.Fprintf(o.textStream(), "Restored %d of %s (%.1fs). Audit file: %s\n", restored, stuck.Count(len(results), "object"),
		o.program.Clock().Sub(began).Seconds(), filepath.Join(o.dir, removal.AuditFile))
	if restored < len(results) {
		return results, exitFailed
	}
	return results, nil
}

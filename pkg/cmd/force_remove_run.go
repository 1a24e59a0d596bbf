package cmd

import (
	"context"
	"fmt"
	"strings"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Run plans, proves, confirms, applies and verifies.
func (o *removeOptions) Run(ctx context.Context) error {
	targets, judge, err := o.diagnose(ctx)
	if err != nil {
		return err
	}
	if unknown := removal.Strangers(targets, o.consent.Only); len(unknown) > 0 {
		return fmt.Errorf("nothing was changed: no target carries %s: see what they carry with kubectl finalizers explain", strings.Join(unknown, ", "))
	}
	plan := removal.Make(targets, judge.Catalog, o.consent)
	plan.Server, plan.Context = o.remote.Server, o.remote.Context
	if len(plan.Refusals) > 0 {
		if err := o.printPlan(plan, ""); err != nil {
			return err
		}
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
		return exitRefused
	}
	if o.dryRun == cmdutil.DryRunClient {
		return o.printPlan(plan, "")
	}
	if len(plan.Steps) == 0 && o.dryRun == cmdutil.DryRunNone {
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing is left to remove; the namespace controller does the rest")
		return o.waitOnly(ctx, plan, targets)
	}
	run := &removal.Run{
		Plan: plan, Source: o.source, Writer: o.remote.Writer, Judge: judge, FailFast: o.failFast,
		Progress: newProgress(o.program.terminal).steps,
	}
	if err := o.prove(ctx, run); err != nil {
		return err
	}
	if o.dryRun == cmdutil.DryRunServer {
		return o.printPlan(plan, plan.Token())
	}
	if err := o.askFor(ctx, plan, targets); err != nil {
		return err
	}
	return o.apply(ctx, run, targets)
}

// diagnose finds the targets and says why they are stuck.
func (o *removeOptions) diagnose(ctx context.Context) ([]*stuck.Diagnosis, *removal.Judge, error) {
	served, err := discover(ctx, o.source)
	if err != nil {
		return nil, nil, err
	}
	named, err := parseTargets(served, o.args)
	if err != nil {
		return nil, nil, err
	}
	known, err := o.program.Catalog()
	if err != nil {
		return nil, nil, err
	}
	see := cluster.NewView(ctx, o.source, served.types, served.gaps)
	var objects []stuck.Object
	for _, t := range named {
		if t.Name == "" {
			return nil, nil, fmt.Errorf("%q does not name an object: write TYPE/NAME, such as ns/shop", t.Type)
		}
		object, err := readTarget(ctx, o.source, see, t, o.namespace)
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, object)
	}
	diagnoses, err := cause.Diagnose(ctx, see, known, objects)
	return diagnoses, &removal.Judge{Source: o.source, Catalog: known}, err
}

// prove checks the rights and sends every request as a dry run.
func (o *removeOptions) prove(ctx context.Context, run *removal.Run) error {
	missing, err := removal.Missing(ctx, o.remote.Self, run.Plan)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("nothing was changed: you may not %s; ask an administrator for it", strings.Join(missing, ", nor "))
	}
	if err := run.Prove(ctx); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	return nil
}

// apply saves, writes and verifies, and says how it went.
func (o *removeOptions) apply(ctx context.Context, run *removal.Run, targets []*stuck.Diagnosis) error {
	dir, err := o.backups()
	if err != nil {
		return err
	}
	if run.Backup, err = removal.NewBackup(dir, o.remote.Context, o.source.Now()); err != nil {
		return fmt.Errorf("nothing was changed: %w; choose another folder with --backup-dir", err)
	}
	run.Audit = removal.NewAudit(run.Backup)
	if run.User, err = o.remote.Self.Name(ctx); err != nil {
		run.User = "unknown" // servers before 1.28 cannot say
	}
	results := run.Apply(ctx)
	newProgress(o.program.terminal).done()
	o.record(ctx, results)
	left := o.await(ctx, targets, results)
	if err := o.printResults(run, results, left); err != nil {
		return err
	}
	return verdictOf(results, left)
}

// waitOnly ends a removal of which all was done before.
func (o *removeOptions) waitOnly(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	left := o.await(ctx, targets, nil)
	if err := o.printResults(&removal.Run{Plan: plan}, nil, left); err != nil {
		return err
	}
	return verdictOf(nil, left)
}

// await waits until the targets are gone, and gives those that are not. Where
// a step was not done there is nothing to wait for: it looks once.
func (o *removeOptions) await(ctx context.Context, targets []*stuck.Diagnosis, results []removal.Result) []stuck.Object {
	if !o.wait || ctx.Err() != nil {
		return nil
	}
	var objects []stuck.Object
	for _, t := range targets {
		objects = append(objects, t.Object)
	}
	timeout := o.timeout
	if count := tally(results); count[removal.Done]+count[removal.Gone] < len(results) {
		timeout = 0
	}
	return removal.AwaitGone(ctx, o.source, objects, timeout)
}

// verdictOf is the exit code.
func verdictOf(results []removal.Result, left []stuck.Object) error {
	count := tally(results)
	switch {
	case count[removal.Failed] > 0 || count[removal.Left] > 0:
		return exitFailed
	case count[removal.Refused] > 0:
		return exitRefused
	case len(left) > 0:
		return exitStuck
	}
	return nil
}

func tally(results []removal.Result) map[removal.Outcome]int {
	count := map[removal.Outcome]int{}
	for _, r := range results {
		count[r.Outcome]++
	}
	return count
}

// record posts an Event for each object that was changed, where that was asked
// for. A namespace that is being deleted takes no new Events.
func (o *removeOptions) record(ctx context.Context, results []removal.Result) {
	if !o.event {
		return
	}
	for _, r := range results {
		if r.Saved == "" {
			continue
		}
		if err := o.remote.Writer.Event(ctx, r.Step, o.source.Now()); err != nil {
			fmt.Fprintf(o.program.Streams.ErrOut, "no event was posted for %s: %s\n", r.Step.Object.Ref(), cluster.Reason(err))
		}
	}
}

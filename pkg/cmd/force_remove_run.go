package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Run plans, sends the plan as a dry run, asks, applies and verifies.
func (o *removeOptions) Run(ctx context.Context) error {
	targets, diagnoser, err := o.diagnose(ctx)
	if err != nil {
		return err
	}
	plan, err := o.plan(ctx, targets, diagnoser)
	if err != nil {
		return err
	}
	ctx = cluster.WithoutReadBudget(ctx) // what follows takes as long as there are objects
	report.SkippedText(o.program.Streams.ErrOut, plan)
	if len(plan.Refusals) > 0 {
		return o.refuse(ctx, plan, targets)
	}
	if len(plan.Steps) == 0 {
		fmt.Fprintln(o.program.Streams.ErrOut, "no stuck object is left in the namespace; the namespace controller deletes it")
		if o.dryRun == cmdutil.DryRunNone {
			return o.waitOnly(ctx, plan, targets)
		}
		return o.printPlan(ctx, plan, targets, "")
	}
	if o.dryRun == cmdutil.DryRunClient {
		return o.printPlan(ctx, plan, targets, "")
	}
	run := &removal.Run{Plan: plan, Source: o.source, Writer: o.remote.Writer, Diagnoser: diagnoser, FailFast: o.failFast}
	if err := o.dryRunPlan(ctx, run, targets); err != nil {
		return err
	}
	if o.dryRun == cmdutil.DryRunServer {
		return o.printPlan(ctx, plan, targets, plan.Token())
	}
	return o.confirmAndApply(ctx, run, targets)
}

// diagnose finds the targets and says why they are stuck.
func (o *removeOptions) diagnose(ctx context.Context) ([]*stuck.Diagnosis, *removal.Diagnoser, error) {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return nil, nil, err
	}
	if err := find.CheckClock(o.source); err != nil {
		return nil, nil, fmt.Errorf("nothing was changed: %w", err)
	}
	named, err := parseTargets(served, o.args)
	if err != nil {
		return nil, nil, err
	}
	view := cluster.NewView(ctx, o.source, served.types, served.gaps)
	objects, err := o.read(ctx, view, named)
	if err != nil {
		return nil, nil, err
	}
	diagnoses, err := diagnose.Objects(ctx, view, known, objects)
	return diagnoses, &removal.Diagnoser{Source: o.source, Catalog: known}, err
}

// read reads the targets. One that does not exist is no error as long as others do: a
// run before this one may have removed its finalizers.
func (o *removeOptions) read(ctx context.Context, view *cluster.View, named []target) (objects []stuck.Object, err error) {
	var absent []error
	for _, t := range named {
		if t.Name == "" {
			return nil, fmt.Errorf("%q does not name an object: write TYPE/NAME, such as ns/shop", t.Type)
		}
		object, err := readTarget(ctx, o.source, view, t, o.namespace)
		switch {
		case errors.As(err, new(notFoundError)):
			absent = append(absent, err)
		case err != nil:
			return nil, err
		case !slices.ContainsFunc(objects, func(o stuck.Object) bool { return o.Key() == object.Key() }): // each is named once
			objects = append(objects, object)
		}
	}
	if len(objects) == 0 {
		return nil, absent[len(absent)-1]
	}
	for _, err := range absent {
		fmt.Fprintf(o.program.Streams.ErrOut, "nothing is to be done: %s\n", err)
	}
	return objects, nil
}

func (o *removeOptions) plan(ctx context.Context, targets []*stuck.Diagnosis, diagnoser *removal.Diagnoser) (removal.Plan, error) {
	unmatched := removal.UnmatchedFinalizers(targets, o.consent.Only)
	text := "no target has the finalizer " + strings.Join(unmatched, ", ")
	switch {
	case len(unmatched) == 0:
	case len(unmatched) == len(o.consent.Only):
		return removal.Plan{}, fmt.Errorf("nothing was changed: %s; kubectl finalizers explain shows which it has", text)
	default:
		fmt.Fprintf(o.program.Streams.ErrOut, "nothing is to be done: %s\n", text)
	}
	plan := removal.NewPlan(targets, diagnoser.Catalog, o.consent)
	err := diagnoser.RefuseExtensionTypes(ctx, &plan)
	if err != nil {
		return plan, err
	}
	if plan.Cluster, err = o.remote.Cluster.Identify(ctx, o.source); err != nil {
		return plan, err
	}
	if o.event {
		plan.Events, err = removal.PlanEvents(ctx, o.source, plan)
	}
	return plan, err
}

// dryRunPlan checks the permissions and sends every request as a dry run.
func (o *removeOptions) dryRunPlan(ctx context.Context, run *removal.Run, targets []*stuck.Diagnosis) error {
	missing, err := removal.MissingPermissions(ctx, o.remote.Self, run.Plan)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("nothing was changed: you lack permission to %s; ask an administrator for it", strings.Join(missing, ", and to "))
	}
	progress := newProgress(o.program.terminal)
	run.Progress = progress.dryRuns
	refused, gone, err := run.DryRun(ctx)
	progress.done()
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if len(refused) > 0 || o.dryRun == cmdutil.DryRunServer && len(gone) > 0 {
		run.Plan.Refusals = slices.Concat(refused, gone)
		return o.refuse(ctx, run.Plan, targets)
	}
	return nil
}

// refuse ends a run of which something is refused: then nothing is done.
func (o *removeOptions) refuse(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	if err := o.printPlan(ctx, plan, targets, ""); err != nil {
		return err
	}
	fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
	return exitRefused
}

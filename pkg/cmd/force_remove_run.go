package cmd

import (
	"context"
	"fmt"
	"slices"
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
	plan, err := o.plan(ctx, targets, judge)
	if err != nil {
		return err
	}
	if len(plan.Refusals) > 0 {
		return o.refuse(plan)
	}
	if o.dryRun == cmdutil.DryRunClient {
		return o.printPlan(plan, "")
	}
	if len(plan.Steps) == 0 && o.dryRun == cmdutil.DryRunNone {
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing is left to remove; the namespace controller does the rest")
		return o.waitOnly(ctx, plan, targets)
	}
	run := &removal.Run{Plan: plan, Source: o.source, Writer: o.remote.Writer, Judge: judge, FailFast: o.failFast}
	if err := o.prove(ctx, run); err != nil {
		return err
	}
	if o.dryRun == cmdutil.DryRunServer {
		return o.printPlan(plan, plan.Token())
	}
	return o.confirmAndApply(ctx, run, targets)
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

func (o *removeOptions) plan(ctx context.Context, targets []*stuck.Diagnosis, judge *removal.Judge) (removal.Plan, error) {
	plan := removal.Make(targets, judge.Catalog, o.consent)
	var err error
	if plan.Cluster, err = o.remote.Cluster.Recognize(ctx, o.source); err != nil {
		return plan, err
	}
	if o.event {
		plan.Notices, err = removal.Notify(ctx, o.source, plan)
	}
	return plan, err
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
	progress := newProgress(o.program.terminal)
	run.Progress = progress.tried
	refused, gone, err := run.Prove(ctx)
	progress.done()
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if len(refused) > 0 || o.dryRun == cmdutil.DryRunServer && len(gone) > 0 {
		run.Plan.Refusals = slices.Concat(refused, gone)
		return o.refuse(run.Plan)
	}
	return nil
}

// refuse ends a run of which something is not to be done: then nothing is.
func (o *removeOptions) refuse(plan removal.Plan) error {
	if err := o.printPlan(plan, ""); err != nil {
		return err
	}
	fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
	return exitRefused
}

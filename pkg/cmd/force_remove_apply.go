package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// confirmAndApply makes sure that copies can be saved, so that nobody types a
// name for nothing; then it asks.
func (o *removeOptions) confirmAndApply(ctx context.Context, run *removal.Run, targets []*stuck.Diagnosis) error {
	dir, err := backupRoot(o.backupDir)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w, or pass --backup-dir", err)
	}
	if run.Backup, err = removal.NewBackup(dir, run.Plan.Cluster, o.source.Now()); err != nil {
		return fmt.Errorf("nothing was changed: %w; choose another folder with --backup-dir", err)
	}
	if run.Audit, err = openAudit(ctx, o.remote, o.source, run.Backup.Dir, run.Plan.Cluster); err != nil {
		return fmt.Errorf("nothing was changed: %w; choose another folder with --backup-dir", errors.Join(err, run.Backup.Discard()))
	}
	screen := report.PlanScreen{
		Plan: run.Plan, User: run.Audit.User, Targets: targets, Now: o.source.Now(), DryRunAccepted: true, BackupDir: run.Backup.Dir,
	}
	if err := o.confirmPlan(ctx, screen); err != nil {
		_ = errors.Join(run.Audit.Close(), run.Backup.Discard()) // what may stay is an empty folder
		return err
	}
	err = o.apply(ctx, run, targets)
	return cmp.Or(run.Audit.Close(), err)
}

// openAudit opens the audit file of a folder, for writes as the user.
func openAudit(ctx context.Context, r Remote, source cluster.Source, dir string, c removal.Cluster) (*removal.Audit, error) {
	audit, err := removal.OpenAudit(dir)
	if err != nil {
		return nil, err
	}
	audit.Cluster, audit.Now, audit.User = c, source.Now, username(ctx, r)
	return audit, nil
}

// username is the user as the API server knows them.
func username(ctx context.Context, r Remote) string {
	name, err := r.Self.Username(ctx)
	if err != nil {
		return "unknown: " + apitext.ErrorMessage(err) // servers before 1.28 cannot say
	}
	return name
}

// apply saves, writes and verifies, and says how it went.
func (o *removeOptions) apply(ctx context.Context, run *removal.Run, targets []*stuck.Diagnosis) error {
	progress := newProgress(o.program.terminal)
	run.Progress = progress.steps
	stop := o.program.announceInterrupt(ctx, o.remote.Writer)
	began := o.program.Clock()
	results := run.Apply(ctx)
	failedEvents := run.PostEvents(ctx)
	stop()
	gone, left := o.waitForDeletion(ctx, targets, results)
	progress.done()
	for _, line := range failedEvents {
		fmt.Fprintln(o.program.Streams.ErrOut, "could not post an Event about "+line)
	}
	if err := o.printReport(removal.Report{
		Cluster: run.Plan.Cluster, BackupDir: run.Backup.Dir, Results: results, Gone: gone, Remaining: left, Duration: o.program.Clock().Sub(began),
	}); err != nil {
		return err
	}
	return exitOf(results, left)
}

// waitOnly ends a removal of which all was done before.
func (o *removeOptions) waitOnly(ctx context.Context, plan removal.Plan, targets []*stuck.Diagnosis) error {
	gone, left := o.waitForDeletion(ctx, targets, nil)
	newProgress(o.program.terminal).done()
	if err := o.printReport(removal.Report{Cluster: plan.Cluster, Gone: gone, Remaining: left}); err != nil {
		return err
	}
	return exitOf(nil, left)
}

// waitForDeletion waits until the targets are gone, and gives those that are and those
// that are not. Where a step was not done there is nothing to wait for: it
// looks once.
func (o *removeOptions) waitForDeletion(ctx context.Context, targets []*stuck.Diagnosis, results []removal.Result) (gone, left []stuck.Object) {
	if !o.wait || ctx.Err() != nil {
		return nil, nil
	}
	var objects []stuck.Object
	for _, t := range targets {
		objects = append(objects, t.Object)
	}
	timeout := o.timeout
	if timeout == 0 {
		timeout = unlimitedTimeout
	}
	if count := removal.CountOutcomes(results); count[removal.Done]+count[removal.Gone] < len(results) {
		timeout = 0
	}
	left = removal.WaitForDeletion(ctx, o.source, objects, timeout, newProgress(o.program.terminal).waiting)
	gone = slices.DeleteFunc(objects, func(o stuck.Object) bool {
		return slices.ContainsFunc(left, func(l stuck.Object) bool { return l.UID == o.UID })
	})
	return gone, left
}

// exitOf is the exit code.
func exitOf(results []removal.Result, left []stuck.Object) error {
	count := removal.CountOutcomes(results)
	switch {
	case count[removal.Failed] > 0 || count[removal.NotAttempted] > 0:
		return exitFailed
	case count[removal.Refused] > 0:
		return exitRefused
	case len(left) > 0:
		return exitStuck
	}
	return nil
}

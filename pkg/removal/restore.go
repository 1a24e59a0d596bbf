package removal

import (
	"context"
	"errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// RestoreRun carries out the steps of a restore.
type RestoreRun struct {
	Steps  []RestoreStep
	Source cluster.Source
	Writer *Writer
	Audit  *Audit
	// Progress, where set, is called with the number of steps that have ended.
	Progress func(done, total int)

	// written says of each step that its write was done, or may have been.
	written []bool
}

// RestoreResult is the end of one step.
type RestoreResult struct {
	Step RestoreStep
	// Outcome is Done, Failed or NotAttempted.
	Outcome Outcome
	// Message says why the step did not succeed.
	Message string
}

// DryRun sends every request as a dry run.
func (r *RestoreRun) DryRun(ctx context.Context) []RestoreResult {
	return r.runEach(ctx, func(ctx context.Context, i int) error {
		return r.Writer.Send(ctx, r.Steps[i].Request(), true)
	})
}

// Apply carries out the steps side by side. One that fails does not stop the others.
func (r *RestoreRun) Apply(ctx context.Context) []RestoreResult {
	r.written = make([]bool, len(r.Steps))
	return r.runEach(ctx, r.applyStep)
}

// applyStep sends one write, between two lines of the audit file. One that may have
// been done before is looked for before it is sent again.
func (r *RestoreRun) applyStep(ctx context.Context, i int) error {
	step := r.Steps[i]
	if r.written[i] {
		found, err := r.verifyRestored(ctx, step)
		if found == isRestored {
			r.Audit.AppendResult(step.auditEntry(), "restored")
			return nil
		}
		if found != notRestored {
			return restoreError(nil, found, err)
		}
	}
	defer r.Writer.begin()()
	if err := r.Audit.Append(step.auditEntry(), AuditBegun); err != nil {
		return err
	}
	// What has begun is finished: otherwise its result would not be known.
	ctx = context.WithoutCancel(ctx)
	err := r.Writer.Send(ctx, step.Request(), false)
	r.written[i] = r.written[i] || err == nil || mayBeWritten(err)
	switch {
	case err == nil:
		err = r.confirmRestored(ctx, step)
	case r.written[i]:
		found, lookErr := r.verifyRestored(ctx, step)
		err = restoreError(err, found, lookErr)
	}
	result := "restored"
	if err != nil {
		result = "failed: " + writeErrorText(err)
	}
	r.Audit.AppendResult(step.auditEntry(), result)
	return err
}

func (r *RestoreRun) runEach(ctx context.Context, do func(context.Context, int) error) []RestoreResult {
	errs := make([]error, len(r.Steps))
	items := make([]int, len(r.Steps))
	for i := range r.Steps {
		items[i], errs[i] = i, errNotAttempted
	}
	done := 0
	runQueue(ctx, items, func(ctx context.Context, i int) error {
		errs[i] = do(ctx, i)
		return retryableError(errs[i])
	}, func(int) {
		if done++; r.Progress != nil {
			r.Progress(done, len(items))
		}
	})
	results := make([]RestoreResult, len(r.Steps))
	for i, err := range errs {
		results[i] = RestoreResult{Step: r.Steps[i], Outcome: Done}
		switch {
		case errors.Is(err, errNotAttempted):
			results[i].Outcome, results[i].Message = NotAttempted, err.Error()
		case err != nil:
			results[i].Outcome, results[i].Message = Failed, writeErrorText(err)
		}
	}
	return results
}

package removal

import (
	"context"
	"fmt"
)

// RestoreRun does deeds.
type RestoreRun struct {
	Steps  []RestoreStep
	Writer *Writer
	Audit  *Audit
	// Progress, where set, is told how many deeds have ended.
	Progress func(done, total int)
}

// DryRun sends every request as a dry run. It gives what the API server would
// refuse, in words.
func (r *RestoreRun) DryRun(ctx context.Context) []string {
	return r.runEach(ctx, func(ctx context.Context, d RestoreStep) error {
		return r.Writer.Send(ctx, d.Request(), true)
	})
}

// Apply does the deeds side by side, and gives what failed, in words. One that
// fails does not stop the others.
func (r *RestoreRun) Apply(ctx context.Context) []string {
	return r.runEach(ctx, func(ctx context.Context, d RestoreStep) error {
		if err := r.Audit.Append(d.auditEntry(), Begun); err != nil {
			return err
		}
		// What has begun is brought to its end, or it would be known to nobody.
		err := r.Writer.Send(context.WithoutCancel(ctx), d.Request(), false)
		result := "restored"
		if err != nil {
			result = "failed: " + writeErrorText(err)
		}
		if auditErr := r.Audit.Append(d.auditEntry(), result); err == nil {
			err = auditErr
		}
		return err
	})
}

func (r *RestoreRun) runEach(ctx context.Context, do func(context.Context, RestoreStep) error) (failed []string) {
	errs := make([]error, len(r.Steps))
	items := make([]int, len(r.Steps))
	for i := range r.Steps {
		items[i], errs[i] = i, errNotAttempted
	}
	done := 0
	runQueue(ctx, items, func(ctx context.Context, i int) error {
		errs[i] = do(ctx, r.Steps[i])
		return retryableError(errs[i])
	}, func(int) {
		if done++; r.Progress != nil {
			r.Progress(done, len(items))
		}
	})
	for i, err := range errs {
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %s", r.Steps[i].Ref(), writeErrorText(err)))
		}
	}
	return failed
}

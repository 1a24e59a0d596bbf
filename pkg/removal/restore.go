package removal

import (
	"context"
	"fmt"
)

// Restoring does deeds.
type Restoring struct {
	Deeds  []Deed
	Writer *Writer
	Audit  *Audit
	// Progress, where set, is told how many deeds have ended.
	Progress func(done, total int)
}

// Prove sends every request as a dry run. It gives what the API server would
// refuse, in words.
func (r *Restoring) Prove(ctx context.Context) []string {
	return r.each(ctx, func(ctx context.Context, d Deed) error {
		return r.Writer.Send(ctx, d.Request(), true)
	})
}

// Do does the deeds side by side, and gives what failed, in words. One that
// fails does not stop the others.
func (r *Restoring) Do(ctx context.Context) []string {
	return r.each(ctx, func(ctx context.Context, d Deed) error {
		if err := r.Audit.Append(d.entry(), Begun); err != nil {
			return err
		}
		// What has begun is brought to its end, or it would be known to nobody.
		err := r.Writer.Send(context.WithoutCancel(ctx), d.Request(), false)
		result := "restored"
		if err != nil {
			result = "failed: " + refusal(err)
		}
		if noted := r.Audit.Append(d.entry(), result); err == nil {
			err = noted
		}
		return err
	})
}

func (r *Restoring) each(ctx context.Context, do func(context.Context, Deed) error) (failed []string) {
	why := make([]error, len(r.Deeds))
	items := make([]int, len(r.Deeds))
	for i := range r.Deeds {
		items[i], why[i] = i, errNotTried
	}
	done := 0
	work(ctx, items, func(ctx context.Context, i int) error {
		why[i] = do(ctx, r.Deeds[i])
		return passing(why[i])
	}, func(int) {
		if done++; r.Progress != nil {
			r.Progress(done, len(items))
		}
	})
	for i, err := range why {
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %s", r.Deeds[i].Ref(), refusal(err)))
		}
	}
	return failed
}

package removal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Outcome is how a step ended.
type Outcome string

// The outcomes.
const (
	// Done means that the finalizers are off, and that this was seen.
	Done Outcome = "done"
	// Gone means that the object went by itself before it was written.
	Gone Outcome = "gone"
	// Refused means that something changed since the plan was shown.
	Refused Outcome = "refused"
	// Failed means that the API server, or the disk, did not do it.
	Failed Outcome = "failed"
	// Left means that it was not tried.
	Left Outcome = "left"
)

// Result is the end of one step.
type Result struct {
	Step    Step
	Outcome Outcome
	Says    string
	// Saved is the file of the saved copy, empty if nothing was written, and
	// Omitted what was left out of it on purpose.
	Saved   string
	Omitted string
}

// Run does the steps of a plan.
type Run struct {
	Plan     Plan
	Source   cluster.Source
	Writer   *Writer
	Judge    *Judge
	Backup   Backup
	Audit    *Audit
	User     string
	FailFast bool
	// Progress, where set, is told how many steps have ended.
	Progress func(done, total int)

	ended atomic.Int64
}

// Prove sends every request of the plan as a dry run, so that admission,
// schemas and quotas answer before anything changes.
func (r *Run) Prove(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.InFlight)
	for _, step := range r.Plan.Steps {
		group.Go(func() error {
			err := r.write(ctx, step, true)
			// What went by itself meanwhile is nobody's fault: the step itself will say so.
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("the API server would refuse to change %s: %w", step.Object.Ref(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

// Apply does the steps, leaf first, those of one height side by side. One that
// fails does not stop the others unless that was asked for. The results come in
// the order of the plan.
func (r *Run) Apply(ctx context.Context) []Result {
	results := make([]Result, len(r.Plan.Steps))
	order := make([]int, len(results))
	for i, step := range r.Plan.Steps {
		order[i] = i
		results[i] = Result{Step: step, Outcome: Left, Says: "not tried"}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Plan.Steps[a].Height, r.Plan.Steps[b].Height)
	})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for len(order) > 0 && ctx.Err() == nil {
		height := r.Plan.Steps[order[0]].Height
		n := slices.IndexFunc(order, func(i int) bool { return r.Plan.Steps[i].Height != height })
		if n < 0 {
			n = len(order)
		}
		r.applyLevel(ctx, stop, order[:n], results)
		order = order[n:]
	}
	return results
}

func (r *Run) applyLevel(ctx context.Context, stop func(), level []int, results []Result) {
	var group errgroup.Group
	group.SetLimit(cluster.InFlight)
	for _, i := range level {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			results[i] = r.apply(ctx, r.Plan.Steps[i])
			if r.FailFast && (results[i].Outcome == Failed || results[i].Outcome == Refused) {
				stop()
			}
			if r.Progress != nil {
				r.Progress(int(r.ended.Add(1)), len(results))
			}
			return nil
		})
	}
	_ = group.Wait() // no step returns an error: each has its own result
}

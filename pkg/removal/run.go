package removal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
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
	// Saved is the file of the saved copy, empty if nothing was written.
	Saved string
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
			if err := r.write(ctx, step, true); err != nil {
				return fmt.Errorf("the API server would refuse to change %s: %w", step.Object.Ref(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

// write sends what a step says.
func (r *Run) write(ctx context.Context, step Step, dryRun bool) error {
	if len(step.Finalizers) > 0 {
		if err := r.Writer.Remove(ctx, step.Object, step.Finalizers, dryRun); err != nil {
			return err
		}
	}
	if len(step.Spec) == 0 {
		return nil
	}
	namespace, err := r.Source.Get(ctx, step.Object.Type, "", step.Object.Name)
	if err != nil {
		return err
	}
	if namespace.GetUID() != step.Object.UID {
		return fmt.Errorf("it is another namespace of the same name by now")
	}
	return r.Writer.Finalize(ctx, namespace, step.Spec, dryRun)
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

// apply does one step: judge again, save, write, verify, note.
func (r *Run) apply(ctx context.Context, step Step) Result {
	result := Result{Step: step}
	if slices.Contains(step.Spec, finalizerKubernetes) && len(AwaitGone(ctx, r.Source, []stuck.Object{step.Object}, controllerTime)) == 0 {
		return result.end(Gone, "the namespace controller has finished it")
	}
	now, ok := r.stillSo(ctx, &result)
	if !ok {
		return result
	}
	step.Object.Finalizers = now.Finalizers
	saved, err := r.save(ctx, step.Object)
	if err != nil {
		return result.end(Failed, err.Error())
	}
	result.Saved = saved
	// What has begun is brought to its end, or it would be known to nobody.
	ctx = context.WithoutCancel(ctx)
	if err := r.write(ctx, step, false); err != nil {
		result = result.end(Failed, refusal(err))
	} else {
		result = r.verify(ctx, result)
	}
	if err := r.Audit.Append(r.entry(result), r.Source.Now()); err != nil {
		result.Says += "; " + err.Error()
	}
	return result
}

// controllerTime is what the namespace controller is given to finish a
// namespace by itself once its content is freed. It retries within seconds
// (kubernetes/pkg/controller/namespace).
const controllerTime = 15 * time.Second

func (r Result) end(outcome Outcome, says string) Result {
	r.Outcome, r.Says = outcome, says
	return r
}

// refusal is what the API server said, and what to do about it.
func refusal(err error) string {
	if apierrors.IsConflict(err) || apierrors.IsInvalid(err) && strings.Contains(err.Error(), "test") {
		return "it changed while it was to be written; run the command again: " + cluster.Reason(err)
	}
	return cluster.Reason(err)
}

func (r *Run) entry(result Result) Entry {
	o := result.Step.Object
	return Entry{
		User: r.User, Cluster: r.Plan.Server, Object: o.Ref(), Namespace: o.Namespace, UID: string(o.UID),
		Finalizers: slices.Concat(result.Step.Spec, result.Step.Finalizers), Verdict: string(result.Step.Verdict),
		Overrides: append([]string{}, result.Step.Overrides...), Result: string(result.Outcome) + ": " + result.Says,
	}
}

// stillSo reads and judges the object again. It ends the step if the object is
// gone, is another one, or is no longer what the plan was made for.
func (r *Run) stillSo(ctx context.Context, result *Result) (stuck.Object, bool) {
	planned := result.Step.Object
	m, err := r.Source.Metadata(ctx, planned.Type, planned.Namespace, planned.Name)
	switch {
	case apierrors.IsNotFound(err):
		*result = result.end(Gone, "it went by itself")
	case err != nil:
		*result = result.end(Failed, "could not be read again: "+cluster.Reason(err))
	case m.UID != planned.UID:
		*result = result.end(Refused, "it is another object of the same name by now")
	case !moves(result.Step) && m.ResourceVersion != planned.ResourceVersion:
		*result = result.end(Refused, "it changed since the plan was shown; run the command again")
	default:
		now := cluster.Object(planned.Type, m)
		return now, r.judged(ctx, now, result)
	}
	return stuck.Object{}, false
}

// moves says whether an object is expected to change while the plan is carried
// out: a Namespace, whose controller reports on it, and what waits for others.
func moves(s Step) bool { return s.Height > 0 || s.Object.IsNamespace() }

func (r *Run) judged(ctx context.Context, now stuck.Object, result *Result) bool {
	d, err := r.Judge.Look(ctx, now)
	if err != nil {
		*result = result.end(Failed, "could not be judged again: "+cluster.Reason(err))
		return false
	}
	verdict := d.VerdictOn(slices.Concat(result.Step.Spec, result.Step.Finalizers))
	if planned := result.Step.Verdict; stuck.Worse(planned, verdict) != planned {
		*result = result.end(Refused, fmt.Sprintf("it was %s when the plan was shown, and is %s now", planned, verdict))
		return false
	}
	return true
}

// save keeps the whole object; of a Secret, its metadata.
func (r *Run) save(ctx context.Context, o stuck.Object) (string, error) {
	whole, err := r.whole(ctx, o)
	if err != nil {
		return "", fmt.Errorf("reading it for the saved copy: %w", err)
	}
	if whole.GetUID() != o.UID {
		return "", fmt.Errorf("it is another object of the same name by now")
	}
	return r.Backup.Save(o, whole)
}

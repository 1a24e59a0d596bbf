package removal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// try does one step: judge again, save, write, verify. What it returns is why
// the step is to be tried again, from the beginning; nil means that it has come
// to its end.
func (r *Run) try(ctx context.Context, i int) (again error) {
	result := &r.results[i]
	if slices.Contains(result.Step.Spec, finalizerKubernetes) && !result.sent && !r.mayEnd(ctx, result) {
		return nil
	}
	now, again := r.stillSo(ctx, result)
	if now == nil {
		return again
	}
	step := result.Step.on(*now)
	if len(step.Finalizers)+len(step.Spec) == 0 {
		result.end(goneAfter(result), "its finalizers are off already")
		return nil
	}
	switch err := r.save(ctx, step.Object, result); {
	case cluster.Absent(err):
		result.end(goneAfter(result), "gone")
		return nil
	case err != nil:
		result.end(Failed, err.Error())
		return passing(err)
	}
	// What has begun is brought to its end, or it would be known to nobody.
	ctx = context.WithoutCancel(ctx)
	for _, part := range step.parts() {
		if again := r.put(ctx, part, result); again != nil || result.Outcome != Done {
			return again
		}
	}
	return nil
}

// on is a step narrowed to what the object still carries.
func (s Step) on(now stuck.Object) Step {
	s.Object.Finalizers = now.Finalizers
	s.Finalizers = slices.DeleteFunc(slices.Clone(s.Finalizers), func(name string) bool { return !now.HasFinalizer(name) })
	return s
}

// controllerTime is what the namespace controller is given to finish a
// namespace by itself once its content is freed. When it works, it comes back
// after half of what it expects the content to take, which is 15 seconds, or a
// Pod's 30 (kubernetes/pkg/controller/namespace).
const controllerTime = 20 * time.Second

// mayEnd says whether a namespace is to be ended without its controller: if all
// that was to be freed in it is, and the controller had its chance.
func (r *Run) mayEnd(ctx context.Context, result *Result) bool {
	for i := range r.results {
		other := &r.results[i]
		if other.Step.Object.Namespace == result.Step.Object.Name && !other.well() {
			result.end(Left, "not tried: "+other.Step.Object.Ref()+", which it holds, was not freed")
			return false
		}
	}
	if left := AwaitGone(ctx, r.Source, []stuck.Object{result.Step.Object}, controllerTime, nil); len(left) == 0 {
		result.end(Gone, "the namespace controller has finished it")
		return false
	}
	return ctx.Err() == nil
}

// stillSo reads and judges the object again. It gives nothing if that ends the
// step, because the object is gone, is another one, or is no longer what the
// plan was made for; or if it is to be tried again.
func (r *Run) stillSo(ctx context.Context, result *Result) (now *stuck.Object, again error) {
	planned := result.Step.Object
	m, err := r.Source.Metadata(ctx, planned.Type, planned.Namespace, planned.Name)
	switch {
	case ctx.Err() != nil: // as it stands, it was not tried, or failed before
	case cluster.Absent(err):
		result.end(goneAfter(result), "gone")
	case cluster.GoneWithType(ctx, r.Source, planned.Type, err):
		result.end(goneAfter(result), "gone, and its type with it")
	case err != nil:
		result.end(Failed, "could not be read again: "+cluster.Reason(err))
		return nil, passing(err)
	case m.UID != planned.UID:
		result.end(Refused, "it is another object of the same name by now")
	case !moves(result.Step) && m.ResourceVersion != planned.ResourceVersion:
		result.end(Refused, "it changed since the plan was shown; run the command again")
	default:
		return r.judged(ctx, cluster.Object(planned.Type, m), result)
	}
	return nil, nil
}

// moves says whether an object is expected to change while the plan is carried
// out: a Namespace, whose controller reports on it, and what waits for others.
func moves(s Step) bool { return s.Height > 0 || s.Object.IsNamespace() }

func (r *Run) judged(ctx context.Context, now stuck.Object, result *Result) (*stuck.Object, error) {
	d, err := r.Judge.Look(ctx, now)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		result.end(Failed, "could not be judged again: "+cluster.Reason(err))
		return nil, passing(err)
	}
	chosen := slices.Concat(result.Step.Spec, result.Step.Finalizers)
	verdict := d.VerdictOn(chosen)
	if outgrown(result.Step, verdict) {
		result.end(Refused, fmt.Sprintf("it was %s when the plan was shown, and is %s now%s", result.Step.Verdict, verdict, reason(d, verdict)))
		return nil, nil
	}
	if verdict == result.Step.Verdict && blockedBy(d, verdict) != result.Step.Cause && !moves(result.Step) {
		result.end(Refused, "something else blocks it than when the plan was shown"+reason(d, verdict))
		return nil, nil
	}
	for _, cost := range d.CostOf(chosen) {
		if _, known := gravest(result.Step.Costs, cost.Leak); !known && grave(cost.Leak) {
			result.end(Refused, fmt.Sprintf("it would leave more behind than when the plan was shown (%s): %s", cost.Leak, cost.What))
			return nil, nil
		}
	}
	return &now, nil
}

// outgrown says whether a verdict is no longer the one that was accepted: a
// worse one, or another one than that nobody is left, such as when somebody has
// come back to life. What is expected to move on may do so for the better.
func outgrown(s Step, verdict stuck.Verdict) bool {
	if stuck.Worse(s.Verdict, verdict) != s.Verdict {
		return true
	}
	return verdict != s.Verdict && verdict != stuck.Orphaned && !moves(s)
}

// save keeps the whole object; of a Secret, its metadata.
func (r *Run) save(ctx context.Context, o stuck.Object, result *Result) error {
	whole, err := r.whole(ctx, o)
	if err != nil {
		return fmt.Errorf("reading it for the saved copy: %w", err)
	}
	if whole.GetUID() != o.UID {
		return errors.New("it is another object of the same name by now")
	}
	result.Saved, result.Omitted, err = r.Backup.Save(o, whole)
	return err
}

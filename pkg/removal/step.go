package removal

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// apply does one step: judge again, save, write, verify, note.
func (r *Run) apply(ctx context.Context, step Step) Result {
	result := Result{Step: step}
	if slices.Contains(step.Spec, finalizerKubernetes) && len(AwaitGone(ctx, r.Source, []stuck.Object{step.Object}, controllerTime)) == 0 {
		return result.end(Gone, "the namespace controller has finished it")
	}
	for range attempts {
		if again := r.try(ctx, &result); !again {
			break
		}
	}
	return result
}

// attempts is how often an object that changes all the time is read again,
// judged again and tried again.
const attempts = 5

// try does one step, and says whether to do so once more, because the object
// changed in between.
func (r *Run) try(ctx context.Context, result *Result) (again bool) {
	now, ok := r.stillSo(ctx, result)
	if !ok {
		return false
	}
	step := result.Step.on(now)
	if len(step.Finalizers)+len(step.Spec) == 0 {
		*result = result.end(Gone, "its finalizers went by themselves")
		return false
	}
	if result.Saved == "" {
		saved, omitted, err := r.save(ctx, step.Object)
		if err != nil {
			*result = result.end(Failed, err.Error())
			return false
		}
		result.Saved, result.Omitted = saved, omitted
	}
	// What has begun is brought to its end, or it would be known to nobody.
	ctx = context.WithoutCancel(ctx)
	err := r.write(ctx, step, false)
	switch {
	case err == nil || apierrors.IsNotFound(err) || unanswered(err):
		*result = r.verify(ctx, *result)
	default:
		*result = result.end(Failed, refusal(err))
	}
	if err := r.Audit.Append(r.entry(*result), r.Source.Now()); err != nil {
		result.Says += "; " + err.Error()
	}
	return changed(err)
}

// on is a step narrowed to what the object still carries.
func (s Step) on(now stuck.Object) Step {
	s.Object.Finalizers = now.Finalizers
	s.Finalizers = slices.DeleteFunc(slices.Clone(s.Finalizers), func(name string) bool { return !now.HasFinalizer(name) })
	return s
}

// controllerTime is what the namespace controller is given to finish a
// namespace by itself once its content is freed. It retries within seconds
// (kubernetes/pkg/controller/namespace).
const controllerTime = 15 * time.Second

func (r Result) end(outcome Outcome, says string) Result {
	r.Outcome, r.Says = outcome, says
	return r
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
	chosen := slices.Concat(result.Step.Spec, result.Step.Finalizers)
	verdict := d.VerdictOn(chosen)
	if planned := result.Step.Verdict; stuck.Worse(planned, verdict) != planned {
		*result = result.end(Refused, fmt.Sprintf("it was %s when the plan was shown, and is %s now", planned, verdict))
		return false
	}
	for _, cost := range d.CostOf(chosen) {
		if _, known := gravest(result.Step.Costs, cost.Leak); !known && grave(cost.Leak) {
			*result = result.end(Refused, fmt.Sprintf("it would leave more behind than when the plan was shown (%s): %s", cost.Leak, cost.What))
			return false
		}
	}
	return true
}

// save keeps the whole object; of a Secret, its metadata.
func (r *Run) save(ctx context.Context, o stuck.Object) (file, omitted string, err error) {
	whole, err := r.whole(ctx, o)
	if err != nil {
		return "", "", fmt.Errorf("reading it for the saved copy: %w", err)
	}
	if whole.GetUID() != o.UID {
		return "", "", fmt.Errorf("it is another object of the same name by now")
	}
	return r.Backup.Save(o, whole)
}

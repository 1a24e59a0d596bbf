package removal

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// runStep does one step: diagnose again, save, write, verify. What it returns is why
// the step is to be tried again, from the beginning; nil means that it is finished.
func (r *Run) runStep(ctx context.Context, i int) (retry error) {
	result := &r.results[i]
	if result.Step.FinalizesNamespace() && !result.sent && !r.mayFinalize(ctx, result) {
		return nil
	}
	full, retry := r.recheck(ctx, result)
	r.rechecked[i].Store(true)
	if full == nil {
		return retry
	}
	step := result.Step.narrowTo(full.GetFinalizers())
	if len(step.allFinalizers()) == 0 {
		result.finishWithoutWrite("its finalizers were removed")
		return nil
	}
	if err := r.save(step.Object, full, result); err != nil {
		result.finish(Failed, err.Error())
		return nil
	}
	// What has begun is finished: otherwise its result would not be known.
	ctx = context.WithoutCancel(ctx)
	for _, part := range step.parts() {
		if retry := r.write(ctx, part, result); retry != nil || result.Outcome != Done {
			return retry
		}
	}
	return nil
}

// narrowTo is a step narrowed to the finalizers that the object still carries.
func (s Step) narrowTo(finalizers []string) Step {
	s.Object.Finalizers = finalizers
	s.Finalizers = slices.DeleteFunc(slices.Clone(s.Finalizers), func(name string) bool { return !slices.Contains(finalizers, name) })
	return s
}

// namespaceControllerTimeout is how long the namespace controller has to delete a
// namespace itself once the finalizers in it are removed. When it works, it comes back
// after half of what it expects the content to take, which is 15 seconds, or a
// Pod's 30 (kubernetes/pkg/controller/namespace).
const namespaceControllerTimeout = 20 * time.Second

// mayFinalize reports whether a namespace is to be finalized without its controller: if all
// steps in it succeeded, and the controller has not deleted it in time.
func (r *Run) mayFinalize(ctx context.Context, result *Result) bool {
	for i := range r.results {
		other := &r.results[i]
		if other.Step.Object.Namespace == result.Step.Object.Name && !other.succeeded() {
			result.finish(NotAttempted, other.Step.Object.Ref()+" in it still has its finalizers")
			return false
		}
	}
	if remaining := WaitForDeletion(ctx, r.Source, []stuck.Object{result.Step.Object}, namespaceControllerTimeout, nil); len(remaining) == 0 {
		result.finish(Gone, "the namespace controller has deleted it")
		return false
	}
	return ctx.Err() == nil
}

// recheck reads the object again, whole, and diagnoses it. It returns nil if that ends the step,
// because the object is deleted, is another one, or is no longer what the plan was
// made for; or if it is to be tried again.
func (r *Run) recheck(ctx context.Context, result *Result) (full *unstructured.Unstructured, retry error) {
	planned := result.Step.Object
	full, err := r.readForBackup(ctx, planned)
	switch {
	case ctx.Err() != nil: // keep the result: not attempted, or failed before
	case cluster.IsObjectNotFound(err):
		result.finishWithoutWrite("deleted")
	case cluster.DeletedWithType(ctx, r.Source, planned.Type, err):
		result.finishWithoutWrite("deleted with its type")
	case err != nil:
		result.finish(Failed, "it could not be read again: "+apitext.ErrorMessage(err))
		return nil, retryableError(err)
	case full.GetUID() != planned.UID:
		result.finish(Refused, "another object has its name now")
	case result.sent && removesNothingFrom(result.Step, full.GetFinalizers()):
		result.finishWithoutWrite("its finalizers were removed")
	case !expectedToChange(result.Step) && full.GetResourceVersion() != planned.ResourceVersion:
		result.finish(Refused, "it changed after the plan was shown; run the command again")
	default:
		return r.rediagnose(ctx, full, result)
	}
	return nil, nil
}

// removesNothingFrom reports whether an object with some finalizers carries none of those
// that a step removes. A Namespace's spec is not asked for.
func removesNothingFrom(s Step, finalizers []string) bool {
	return len(s.SpecFinalizers) == 0 && !slices.ContainsFunc(s.Finalizers, func(name string) bool { return slices.Contains(finalizers, name) })
}

// expectedToChange reports whether an object is expected to change while the plan is carried
// out: a Namespace, whose controller reports on it, and what waits for others.
func expectedToChange(s Step) bool { return s.Height > 0 || s.Object.IsNamespace() }

// rediagnose returns the object that was read if its diagnosis still permits the step.
func (r *Run) rediagnose(ctx context.Context, full *unstructured.Unstructured, result *Result) (*unstructured.Unstructured, error) {
	var m metav1.PartialObjectMetadata
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(full.Object, &m); err != nil {
		result.finish(Failed, "it could not be read again: "+err.Error())
		return nil, nil
	}
	d, err := r.Diagnoser.Diagnose(ctx, stuck.ObjectOf(result.Step.Object.Type, m.ObjectMeta), r.nextObjects)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		result.finish(Failed, "it could not be diagnosed again: "+apitext.ErrorMessage(err))
		return nil, retryableError(err)
	}
	chosen := result.Step.allFinalizers()
	verdict := d.VerdictFor(chosen)
	if verdictChanged(result.Step, verdict) {
		result.finish(Refused, fmt.Sprintf("its verdict was %s when the plan was shown, and is %s now%s", result.Step.Verdict, verdict, verdictReason(d, verdict)))
		return nil, nil
	}
	if verdict == result.Step.Verdict && blockingCause(d, verdict) != result.Step.Cause && !expectedToChange(result.Step) {
		result.finish(Refused, "another cause blocks it than when the plan was shown"+verdictReason(d, verdict))
		return nil, nil
	}
	for _, cost := range d.CostOf(chosen) {
		if _, known := firstCost(result.Step.Costs, cost.Leaves); !known && cost.Leaves.NeedsConsent() {
			result.finish(Refused, fmt.Sprintf("more would be left behind than when the plan was shown (%s): %s", cost.Leaves, cost.Description))
			return nil, nil
		}
	}
	return full, nil
}

// verdictChanged reports whether a verdict is no longer the one that was accepted: a more
// cautious one, or another than ControllerGone. An object that is expected to change
// may have a better one.
func verdictChanged(s Step, verdict stuck.Verdict) bool {
	if stuck.MoreCautious(s.Verdict, verdict) != s.Verdict {
		return true
	}
	return verdict != s.Verdict && verdict != stuck.ControllerGone && !expectedToChange(s)
}

// save keeps the whole object; of a Secret, its metadata.
func (r *Run) save(o stuck.Object, full *unstructured.Unstructured, result *Result) (err error) {
	if result.written && result.Saved.Path != "" {
		return nil // what is to be restored is the object as it was before the first write
	}
	result.Saved, err = r.Backup.Save(o, full)
	return err
}

package removal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// write sends what a step says.
func (r *Run) write(ctx context.Context, step Step, dryRun bool) error {
	if len(step.Finalizers) > 0 {
		err := patiently(ctx, func() error { return r.Writer.Remove(ctx, step.Object, step.Finalizers, dryRun) })
		if err != nil {
			return err
		}
	}
	if len(step.Spec) == 0 {
		return nil
	}
	return patiently(ctx, func() error { return r.finalize(ctx, step, dryRun) })
}

// finalize takes entries off spec.finalizers of the namespace as it is now,
// which the patch before it may have changed, and ended.
func (r *Run) finalize(ctx context.Context, step Step, dryRun bool) error {
	namespace, err := r.Source.Get(ctx, step.Object.Type, "", step.Object.Name)
	if err != nil {
		return err
	}
	if namespace.GetUID() != step.Object.UID {
		return errors.New("it is another namespace of the same name by now")
	}
	return r.Writer.Finalize(ctx, namespace, step.Spec, dryRun)
}

// patiently sends a request again while the API server is too busy for it, or
// in trouble, after as long as it asks for and never at once.
func patiently(ctx context.Context, send func() error) error {
	backoff := wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 6}
	for {
		err := send()
		if err == nil || backoff.Steps == 0 || !passing(err) {
			return err
		}
		pause := backoff.Step()
		if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
			pause = max(pause, time.Duration(seconds)*time.Second)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// passing says whether an error may be gone the next time. A webhook that does
// not answer is called an internal error, and is none.
func passing(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsTimeout(err) || apierrors.IsInternalError(err) && !strings.Contains(err.Error(), "webhook")
}

// changed says whether a write was refused because the object is not as it was
// seen: by its resourceVersion, or by a test of the patch.
func changed(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsInvalid(err) && strings.Contains(err.Error(), "the server rejected our request due to an error in our request")
}

// unanswered says whether nobody knows if a write was done.
func unanswered(err error) bool {
	var answer apierrors.APIStatus
	return !errors.As(err, &answer)
}

// refusal is what the API server said, and what to do about it.
func refusal(err error) string {
	if changed(err) {
		return "it changed while it was to be written; run the command again"
	}
	if apierrors.IsForbidden(err) { // by a policy, whose words tell which
		return fmt.Sprintf("the API server refused: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return cluster.Reason(err)
}

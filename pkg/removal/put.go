package removal

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// put does one write of a step, between two lines of the audit file, and looks
// what came of it. What it returns is why the step is to be tried again.
func (r *Run) put(ctx context.Context, part Step, result *Result) (again error) {
	request, err := r.request(ctx, part)
	switch {
	case cluster.Absent(err):
		result.end(goneAfter(result), "gone")
		return nil
	case err != nil:
		result.end(Failed, "could not be read again: "+cluster.Reason(err))
		return passing(err)
	}
	entry := part.entry(request)
	if err := r.Audit.Append(entry, Begun); err != nil {
		result.end(Failed, "not written: "+err.Error())
		return nil
	}
	err = r.Writer.Send(ctx, request, false)
	switch {
	case err == nil || unanswered(err):
		r.verify(ctx, part, result)
	case isGone(err, part.Object):
		result.end(goneAfter(result), "gone")
	default:
		result.end(Failed, refusal(err))
	}
	result.sent = true
	if result.Outcome == Failed && (outdated(err) || passing(err) != nil) {
		r.Judge.Forget()
		again = err
	}
	if err := r.Audit.Append(entry, string(result.Outcome)+": "+result.Says); err != nil {
		result.Says += "; " + err.Error()
	}
	return again
}

// goneAfter is what it means that an object is gone: it went by itself unless
// a write was sent before, whatever was answered to that.
func goneAfter(result *Result) Outcome {
	if result.sent {
		return Done
	}
	return Gone
}

// request is the write of one part of a step. To take entries off
// spec.finalizers takes the namespace as it is now, which the patch before it
// may have changed, and ended.
func (r *Run) request(ctx context.Context, part Step) (Request, error) {
	if len(part.Spec) == 0 {
		return part.Requests()[0], nil
	}
	namespace, err := r.Source.Get(ctx, part.Object.Type, "", part.Object.Name)
	if err != nil {
		return Request{}, err
	}
	if namespace.GetUID() != part.Object.UID {
		return Request{}, apierrors.NewNotFound(part.Object.Type.GVR().GroupResource(), part.Object.Name)
	}
	return finalize(part.Object, namespace, part.Spec)
}

func (s Step) entry(request Request) Entry {
	return Entry{
		Object: s.Object.Ref(), Namespace: s.Object.Namespace, UID: string(s.Object.UID),
		Finalizers: slices.Concat(s.Spec, s.Finalizers), Verdict: string(s.Verdict), Overrides: s.Overrides,
		Request: fmt.Sprintf("%s %s", request.Verb, request.Path),
	}
}

package removal

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// write sends one write of a step, between two lines of the audit file, and verifies
// the result. What it returns is why the step is to be tried again.
func (r *Run) write(ctx context.Context, part Step, result *Result) (retry error) {
	request, err := r.request(ctx, part)
	switch {
	case cluster.IsObjectNotFound(err):
		result.finishWithoutWrite("deleted")
		return nil
	case err != nil:
		result.finish(Failed, "it could not be read again: "+apitext.ErrorMessage(err))
		return retryableError(err)
	}
	defer r.Writer.begin()()
	entry := part.auditEntry(request)
	entry.Copy, entry.CopySHA256 = filepath.Base(result.Saved.Path), result.Saved.SHA256
	if err := r.Audit.Append(entry, AuditBegun); err != nil {
		result.finish(Failed, "not written: "+err.Error())
		return nil
	}
	err = r.Writer.Send(ctx, request, false)
	switch {
	case err == nil || mayBeWritten(err):
		r.verify(ctx, part, result, err)
	case isGone(err, part.Object):
		result.finishWithoutWrite("deleted")
	default:
		result.finish(Failed, writeErrorText(err))
	}
	result.sent, result.written = true, result.written || err == nil || mayBeWritten(err)
	if result.Outcome == Failed && (apitext.IsOutdated(err) || retryableError(err) != nil) {
		r.Diagnoser.Invalidate()
		retry = err
	}
	r.Audit.AppendResult(entry, result.Outcome.Words()+": "+result.Message)
	return retry
}

// request is the write of one part of a step. To take entries off
// spec.finalizers takes the namespace as it is now, which the patch before it
// may have changed, and ended.
func (r *Run) request(ctx context.Context, part Step) (Request, error) {
	if len(part.SpecFinalizers) == 0 {
		return part.Requests()[0], nil
	}
	namespace, err := r.Source.Get(ctx, part.Object.Type, "", part.Object.Name)
	if err != nil {
		return Request{}, err
	}
	if namespace.GetUID() != part.Object.UID {
		return Request{}, apierrors.NewNotFound(part.Object.Type.GVR().GroupResource(), part.Object.Name)
	}
	return finalizeRequest(part.Object, namespace, part.SpecFinalizers)
}

func (s Step) auditEntry(request Request) AuditEntry {
	return AuditEntry{
		Object: s.Object.Ref(), Namespace: s.Object.Namespace, UID: string(s.Object.UID),
		Finalizers: slices.Concat(s.SpecFinalizers, s.Finalizers), Verdict: string(s.Verdict), Overrides: s.Overrides,
		Request: fmt.Sprintf("%s %s", request.Verb, request.Path),
	}
}

package removal

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Deleter deletes objects as kubectl delete does: it asks for the deletion, which the controllers finish. It removes
// no finalizer, and no object but the one that was judged.
type Deleter struct {
	Source cluster.Source
	Writer *Writer
	Audit  *Audit
	// Recheck says why an object that has changed since it was judged is kept, empty if it is still to be deleted.
	Recheck func(ctx context.Context, o stuck.Object, m metav1.ObjectMeta) string
	// Progress, where set, is called with the number of objects that are done.
	Progress func(done, total int)
}

// DeleteResult is the end of one delete.
type DeleteResult struct {
	Object stuck.Object
	// Outcome is Done if the API server has accepted the deletion.
	Outcome Outcome
	Message string
}

// deleteRequest deletes an object in the state in which it was seen, and no other object of its name. Its dependents
// are deleted in the background, as by kubectl delete.
func deleteRequest(o stuck.Object) Request {
	uid, version, policy := o.UID, o.ResourceVersion, metav1.DeletePropagationBackground
	return Request{Verb: http.MethodDelete, Path: o.Path(), Body: &metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions:     &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
		PropagationPolicy: &policy,
	}}
}

// Delete deletes objects side by side. The results come in the order of the objects.
func (d *Deleter) Delete(ctx context.Context, objects []stuck.Object) []DeleteResult {
	results := make([]DeleteResult, len(objects))
	items := make([]int, len(objects))
	for i, o := range objects {
		results[i], items[i] = DeleteResult{Object: o, Outcome: NotAttempted, Message: "interrupted"}, i
	}
	done := 0
	runQueue(ctx, items, func(ctx context.Context, i int) error { return d.delete(ctx, &results[i]) }, func(int) {
		if done++; d.Progress != nil {
			d.Progress(done, len(objects))
		}
	})
	return results
}

// delete sends one delete between two lines of the audit file. What it returns is why the delete is to be tried again,
// for which the object is read again.
func (d *Deleter) delete(ctx context.Context, result *DeleteResult) (retry error) {
	if result.Object.UID == "" || result.Object.ResourceVersion == "" {
		result.Outcome, result.Message = Refused, "it has no uid or resourceVersion, so that another object of its name could be deleted"
		return nil
	}
	if result.Outcome == Failed && !d.reread(ctx, result) {
		return nil
	}
	defer d.Writer.begin()()
	request := deleteRequest(result.Object)
	entry := Step{Object: result.Object, Finalizers: result.Object.Finalizers}.auditEntry(request)
	if err := d.Audit.Append(entry, AuditBegun); err != nil {
		result.Outcome, result.Message = Failed, "not deleted: "+err.Error()
		return nil
	}
	ctx = context.WithoutCancel(ctx) // what has begun is finished: otherwise its result would not be known
	err := d.Writer.Send(ctx, request, false)
	switch {
	case err == nil:
		result.Outcome, result.Message = Done, "deletion requested"
	case isGone(err, result.Object):
		result.Outcome, result.Message = Gone, "deleted before the request"
	default:
		result.Outcome, result.Message = Failed, writeErrorText(err)
		retry = retryableError(err)
	}
	d.Audit.AppendResult(entry, result.Outcome.Words()+": "+result.Message)
	return retry
}

// reread reads an object again after a delete that failed, and reports whether the delete is to be sent again.
func (d *Deleter) reread(ctx context.Context, result *DeleteResult) bool {
	o := result.Object
	m, err := d.Source.Metadata(ctx, o.Type, o.Namespace, o.Name)
	switch {
	case cluster.IsObjectNotFound(err), cluster.DeletedWithType(ctx, d.Source, o.Type, err):
		result.Outcome, result.Message = Gone, "deleted"
	case err != nil:
		result.Message = "it could not be read again: " + apitext.ErrorMessage(err)
	case m.UID != o.UID:
		result.Outcome, result.Message = Refused, "another object has its name now"
	case m.DeletionTimestamp != nil:
		result.Outcome, result.Message = Done, "deletion requested"
	default:
		if kept := d.Recheck(ctx, o, m.ObjectMeta); kept != "" {
			result.Outcome, result.Message = Refused, kept
			return false
		}
		result.Object = stuck.ObjectOf(o.Type, m.ObjectMeta)
		return true
	}
	return false
}

package removal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// verifyTimeout is how long to wait until a write shows.
const verifyTimeout = 5 * time.Second

// verify reads the object, by uid, until the finalizers are removed from it. If the write
// ended with an error, that is all there is to know of it.
func (r *Run) verify(ctx context.Context, step Step, result *Result, writeErr error) {
	if writeErr != nil && !hasNoResponse(writeErr) {
		// The step is tried again, after a pause, and reads the object first.
		result.finish(r.checkOutcome(ctx, step, writeErr))
		return
	}
	verified := false
	_ = wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, verifyTimeout, true, func(ctx context.Context) (bool, error) {
		outcome, message := r.checkOutcome(ctx, step, writeErr)
		if verified && ctx.Err() != nil {
			return false, ctx.Err() // our own end cut this look short, and it says nothing
		}
		verified = true
		result.finish(outcome, message)
		return outcome == Done, nil
	}) // what was seen last is the answer
}

// writtenText is what is known of a write that ended with an error or with none, before
// what the object shows of it.
func writtenText(writeErr error) string {
	const unconfirmed = ", and it is not known whether it was written: "
	switch {
	case writeErr == nil:
		return "written, but "
	case hasNoResponse(writeErr):
		return "no answer to the write" + unconfirmed
	}
	return "the API server answered the write with an error (" + apitext.ErrorMessage(writeErr) + ")" + unconfirmed
}

// checkOutcome says how an object stands after it was written, or may have been.
func (r *Run) checkOutcome(ctx context.Context, step Step, writeErr error) (Outcome, string) {
	o, words := step.Object, writtenText(writeErr)
	m, err := r.Source.Metadata(ctx, o.Type, o.Namespace, o.Name)
	switch {
	case cluster.IsObjectNotFound(err):
		return Done, "deleted"
	case cluster.DeletedWithType(ctx, r.Source, o.Type, err):
		return Done, "deleted with its type"
	case err != nil:
		return Failed, words + "it could not be read again: " + apitext.ErrorMessage(err)
	case m.UID != o.UID:
		return Done, "deleted; a new object has its name"
	}
	var present []string
	for _, name := range m.Finalizers {
		if slices.Contains(step.Finalizers, name) {
			present = append(present, name)
		}
	}
	if len(step.SpecFinalizers) > 0 {
		namespace, err := r.Source.Get(ctx, o.Type, "", o.Name)
		if err != nil && !cluster.IsObjectNotFound(err) {
			return Failed, words + "it could not be read again: " + apitext.ErrorMessage(err)
		}
		if err == nil {
			kept, _, _ := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers") // the API server validates it
			present = append(present, slices.DeleteFunc(kept, func(name string) bool { return !slices.Contains(step.SpecFinalizers, name) })...)
		}
	}
	switch {
	case len(present) > 0 && writeErr != nil:
		return Failed, fmt.Sprintf("%s%s is still present", words, strings.Join(present, ", "))
	case len(present) > 0:
		return Failed, fmt.Sprintf("%s is still present, or was added again", strings.Join(present, ", "))
	case len(m.Finalizers) > 0:
		return Done, fmt.Sprintf("other finalizers remain: %s", strings.Join(m.Finalizers, ", "))
	}
	return Done, "its finalizers were removed; its deletion continues"
}

// WaitForDeletion waits until objects are deleted, by uid, and returns those that are
// not when the time is over. It reads them once even if there is no time. onPoll,
// where set, is called before each read with what remains.
func WaitForDeletion(ctx context.Context, source cluster.Source, objects []stuck.Object, timeout time.Duration, onPoll func(remaining []stuck.Object)) []stuck.Object {
	remaining := existing(ctx, source, objects)
	if len(remaining) == 0 || timeout <= 0 {
		return remaining
	}
	_ = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, timeout, false, func(ctx context.Context) (bool, error) {
		if onPoll != nil {
			onPoll(remaining)
		}
		remaining = existing(ctx, source, remaining)
		return len(remaining) == 0, nil
	}) // what is left when the time is over is the answer
	return remaining
}

func existing(ctx context.Context, source cluster.Source, objects []stuck.Object) []stuck.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o stuck.Object) bool {
		m, err := source.Metadata(ctx, o.Type, o.Namespace, o.Name)
		return cluster.IsObjectNotFound(err) || err == nil && m.UID != o.UID || cluster.DeletedWithType(ctx, source, o.Type, err)
	})
}

// readForBackup reads all of an object, and of a Secret only what may be kept.
func (r *Run) readForBackup(ctx context.Context, o stuck.Object) (*unstructured.Unstructured, error) {
	if !o.Is("", "Secret") {
		return r.Source.Get(ctx, o.Type, o.Namespace, o.Name)
	}
	m, err := r.Source.Metadata(ctx, o.Type, o.Namespace, o.Name)
	if err != nil {
		return nil, err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: object}
	u.SetGroupVersionKind(o.Type.GVK())
	return u, nil
}

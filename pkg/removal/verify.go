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
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// verified is how long to wait until a write shows.
const verified = 5 * time.Second

// verify looks whether the finalizers are off and stay off, by uid.
func (r *Run) verify(ctx context.Context, step Step, result *Result) {
	_ = wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, verified, true, func(ctx context.Context) (bool, error) {
		result.end(r.look(ctx, step))
		return result.Outcome == Done, nil
	}) // what was seen last is the answer
}

// look says how an object stands after it was written.
func (r *Run) look(ctx context.Context, step Step) (Outcome, string) {
	o := step.Object
	m, err := r.Source.Metadata(ctx, o.Type, o.Namespace, o.Name)
	switch {
	case cluster.Absent(err):
		return Done, "gone"
	case cluster.GoneWithType(ctx, r.Source, o.Type, err):
		return Done, "gone, and its type with it"
	case err != nil:
		return Failed, "written, but could not be read again: " + cluster.Reason(err)
	case m.UID != o.UID:
		return Done, "gone; a new object of the same name has come"
	}
	var back []string
	for _, name := range m.Finalizers {
		if slices.Contains(step.Finalizers, name) {
			back = append(back, name)
		}
	}
	if len(step.Spec) > 0 {
		namespace, err := r.Source.Get(ctx, o.Type, "", o.Name)
		if err != nil && !cluster.Absent(err) {
			return Failed, "written, but could not be read again: " + cluster.Reason(err)
		}
		if err == nil {
			kept, _, _ := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers") // the API server validates it
			back = append(back, slices.DeleteFunc(kept, func(name string) bool { return !slices.Contains(step.Spec, name) })...)
		}
	}
	switch {
	case len(back) > 0:
		return Failed, fmt.Sprintf("%s is still there, or came back", strings.Join(back, ", "))
	case len(m.Finalizers) > 0:
		return Done, fmt.Sprintf("still held by %s", strings.Join(m.Finalizers, ", "))
	}
	return Done, "its finalizers are off; it is on its way out"
}

// AwaitGone waits until objects are gone, by uid, and returns those that are
// not when the time is over. It looks once even if there is no time. Each time
// it has looked it tells, where that is asked for, what is left.
func AwaitGone(ctx context.Context, source cluster.Source, objects []stuck.Object, timeout time.Duration, looked func(left []stuck.Object)) []stuck.Object {
	left := stillThere(ctx, source, objects)
	if len(left) == 0 || timeout <= 0 {
		return left
	}
	_ = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, timeout, false, func(ctx context.Context) (bool, error) {
		if looked != nil {
			looked(left)
		}
		left = stillThere(ctx, source, left)
		return len(left) == 0, nil
	}) // what is left when the time is over is the answer
	return left
}

func stillThere(ctx context.Context, source cluster.Source, objects []stuck.Object) []stuck.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o stuck.Object) bool {
		m, err := source.Metadata(ctx, o.Type, o.Namespace, o.Name)
		return cluster.Absent(err) || err == nil && m.UID != o.UID || cluster.GoneWithType(ctx, source, o.Type, err)
	})
}

// whole reads all of an object, and of a Secret only what may be kept.
func (r *Run) whole(ctx context.Context, o stuck.Object) (*unstructured.Unstructured, error) {
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

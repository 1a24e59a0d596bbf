package removal

import (
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Request is one write, as it is sent: a JSON patch to PATCH, or an object to
// PUT or POST.
type Request struct {
	Verb string `json:"verb"`
	Path string `json:"path"`
	Body any    `json:"body"`
	// Whole says that the object is sent whole, as it is when it is sent, and
	// that the body of the plan is what changes in it.
	Whole bool `json:"whole,omitempty"`
}

// Requests are the writes of a step, in their order.
func (s Step) Requests() []Request {
	var out []Request
	if len(s.Finalizers) > 0 {
		out = append(out, Request{Verb: http.MethodPatch, Path: s.Object.Path(), Body: s.patch()})
	}
	if len(s.SpecFinalizers) > 0 {
		kept := exclude(s.Object.SpecFinalizers, s.SpecFinalizers)
		out = append(out, Request{
			Verb: http.MethodPut, Path: finalizePath(s.Object), Whole: true,
			Body: map[string]any{"spec": map[string]any{"finalizers": kept}},
		})
	}
	return out
}

// patch removes the finalizers from the object. Unless the object is expected to change, it holds only for the state that was
// seen, so that the saved copy is of the very object that is written.
func (s Step) patch() []cluster.PatchOperation {
	patch := cluster.RemoveFinalizersPatch(s.Object, s.Finalizers)
	if expectedToChange(s) {
		return patch
	}
	return slices.Insert(patch, 1, cluster.PatchOperation{Op: "test", Path: "/metadata/resourceVersion", Value: s.Object.ResourceVersion})
}

// parts are the writes of a step, each as a step of its own.
func (s Step) parts() []Step {
	var out []Step
	if len(s.Finalizers) > 0 {
		patch := s
		patch.SpecFinalizers = nil
		out = append(out, patch)
	}
	if len(s.SpecFinalizers) > 0 {
		finalize := s
		finalize.Finalizers = nil
		out = append(out, finalize)
	}
	return out
}

// finalizeRequest takes entries off a Namespace's spec.finalizers: with the whole
// object, whose metadata the finalize subresource would otherwise wipe, and its
// resourceVersion, so that it fits no other state.
func finalizeRequest(o stuck.Object, namespace *unstructured.Unstructured, finalizers []string) (Request, error) {
	namespace = namespace.DeepCopy()
	old, _, err := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers")
	if err != nil {
		return Request{}, fmt.Errorf("reading spec.finalizers of %s: %w", o.Ref(), err)
	}
	if err := unstructured.SetNestedStringSlice(namespace.Object, exclude(old, finalizers), "spec", "finalizers"); err != nil {
		return Request{}, err
	}
	return Request{Verb: http.MethodPut, Path: finalizePath(o), Body: namespace.Object}, nil
}

// addFinalizersRequest puts finalizers on an object that is not being deleted, at the end of
// those it has. It fits the object as it was seen and no other state, so that
// it cannot be done twice.
func addFinalizersRequest(o stuck.Object, finalizers []string) Request {
	patch := []cluster.PatchOperation{
		{Op: "test", Path: "/metadata/uid", Value: string(o.UID)},
		{Op: "test", Path: "/metadata/resourceVersion", Value: o.ResourceVersion},
	}
	if len(o.Finalizers) == 0 || len(patch)+len(finalizers) > cluster.MaxPatchOperations {
		all := slices.Concat(o.Finalizers, finalizers)
		patch = append(patch, cluster.PatchOperation{Op: "add", Path: "/metadata/finalizers", Value: all})
	} else {
		for _, name := range finalizers {
			patch = append(patch, cluster.PatchOperation{Op: "add", Path: "/metadata/finalizers/-", Value: name})
		}
	}
	return Request{Verb: http.MethodPatch, Path: o.Path(), Body: patch}
}

// createRequest makes an object.
func createRequest(t stuck.Type, object *unstructured.Unstructured) Request {
	return Request{Verb: http.MethodPost, Path: t.Path(object.GetNamespace()), Body: object.Object}
}

func createEventRequest(event *corev1.Event) Request {
	return Request{Verb: http.MethodPost, Path: cluster.EventType.Path(event.Namespace), Body: event}
}

func finalizePath(o stuck.Object) string { return o.Type.Path(o.Namespace, o.Name, "finalize") }

// exclude is a list without some of its entries.
func exclude(list, excluded []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(name string) bool { return slices.Contains(excluded, name) })
}

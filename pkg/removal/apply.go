package removal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Writer holds every write of the program.
type Writer struct {
	dynamic dynamic.Interface
}

// NewWriter prepares the client; it sends nothing yet.
func NewWriter(config *rest.Config) (*Writer, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // the number of workers is the limit
	if config.Timeout == 0 {
		config.Timeout = patience
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("setting up the client that writes: %w", err)
	}
	return &Writer{dynamic: client}, nil
}

// patience is how long a write may take. A webhook may take half a minute, and
// what has begun is not given up by ^C.
const patience = 40 * time.Second

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patchOf removes finalizers from an object and nothing else. It holds only for
// the object with this uid, and only while each finalizer stands where it was
// seen: anything else makes the API server refuse it whole.
func patchOf(o stuck.Object, finalizers []string) []operation {
	ops := []operation{{Op: "test", Path: "/metadata/uid", Value: string(o.UID)}}
	// From the last to the first, so that those before keep their places.
	for i, name := range slices.Backward(o.Finalizers) {
		if slices.Contains(finalizers, name) {
			path := fmt.Sprintf("/metadata/finalizers/%d", i)
			ops = append(ops, operation{Op: "test", Path: path, Value: name}, operation{Op: "remove", Path: path})
		}
	}
	return ops
}

// Remove takes finalizers off an object in the state in which it was seen.
func (w *Writer) Remove(ctx context.Context, o stuck.Object, finalizers []string, dryRun bool) error {
	patch, err := json.Marshal(patchOf(o, finalizers))
	if err != nil {
		return err
	}
	_, err = w.dynamic.Resource(o.Type.GVR()).Namespace(o.Namespace).
		Patch(ctx, o.Name, types.JSONPatchType, patch, metav1.PatchOptions{DryRun: dry(dryRun), FieldManager: manager})
	return err
}

// Finalize takes entries off a Namespace's spec.finalizers, through its
// finalize subresource: with the whole object, whose metadata that subresource
// would otherwise wipe, and its resourceVersion, so that it fits no other state.
func (w *Writer) Finalize(ctx context.Context, namespace *unstructured.Unstructured, finalizers []string, dryRun bool) error {
	namespace = namespace.DeepCopy()
	old, _, err := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers")
	if err != nil {
		return fmt.Errorf("reading spec.finalizers of namespace/%s: %w", namespace.GetName(), err)
	}
	kept := without(old, finalizers)
	if err := unstructured.SetNestedStringSlice(namespace.Object, kept, "spec", "finalizers"); err != nil {
		return err
	}
	_, err = w.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).
		Update(ctx, namespace, metav1.UpdateOptions{DryRun: dry(dryRun), FieldManager: manager}, "finalize")
	return err
}

// Restore puts a finalizer back on an object that is not being deleted, at the
// end of those it has.
func (w *Writer) Restore(ctx context.Context, o stuck.Object, finalizers []string, dryRun bool) error {
	ops := []operation{{Op: "test", Path: "/metadata/uid", Value: string(o.UID)}}
	if len(o.Finalizers) == 0 {
		// To add the list replaces one that has come since.
		ops = append(ops, operation{Op: "test", Path: "/metadata/resourceVersion", Value: o.ResourceVersion},
			operation{Op: "add", Path: "/metadata/finalizers", Value: finalizers})
	} else {
		for _, name := range finalizers {
			ops = append(ops, operation{Op: "add", Path: "/metadata/finalizers/-", Value: name})
		}
	}
	patch, err := json.Marshal(ops)
	if err != nil {
		return err
	}
	_, err = w.dynamic.Resource(o.Type.GVR()).Namespace(o.Namespace).
		Patch(ctx, o.Name, types.JSONPatchType, patch, metav1.PatchOptions{DryRun: dry(dryRun), FieldManager: manager})
	return err
}

// Create makes an object again that is gone.
func (w *Writer) Create(ctx context.Context, t stuck.Type, object *unstructured.Unstructured, dryRun bool) error {
	_, err := w.dynamic.Resource(t.GVR()).Namespace(object.GetNamespace()).
		Create(ctx, object, metav1.CreateOptions{DryRun: dry(dryRun), FieldManager: manager})
	return err
}

// Event posts an Event on an object that was written.
func (w *Writer) Event(ctx context.Context, s Step, now time.Time) error {
	posted := event(s, now)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(posted)
	if err != nil {
		return err
	}
	_, err = w.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("events")).Namespace(posted.Namespace).
		Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: manager})
	return err
}

// manager is the name under which the program writes.
const manager = "kubectl-finalizers"

func dry(run bool) []string {
	if run {
		return []string{metav1.DryRunAll}
	}
	return nil
}

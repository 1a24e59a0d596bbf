package removal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ConfigMap is a ConfigMap in which the program keeps what it needs the next time.
type ConfigMap struct {
	Name   types.NamespacedName
	Source cluster.Source
	Writer *Writer
	Audit  *Audit
}

// Ref is what it is called.
func (c ConfigMap) Ref() string { return c.object().RefInNamespace() }

func (c ConfigMap) object() stuck.Object {
	return stuck.Object{Type: cluster.ConfigMapType, Namespace: c.Name.Namespace, Name: c.Name.Name}
}

// Update sets values of the ConfigMap, and creates it where it does not exist. change gets the values as they are, and
// returns those to set, "" for those to remove. The ConfigMap is written only as it was read: if it changes meanwhile,
// it is read again. Dry runs are not in the audit file.
func (c ConfigMap) Update(ctx context.Context, change func(current map[string]string) (set map[string]string, err error), dryRun bool) error {
	err := errNotAttempted
	runQueue(ctx, []int{0}, func(ctx context.Context, _ int) (retry error) {
		var request *Request
		if request, retry = c.request(ctx, change); retry != nil {
			err = fmt.Errorf("reading %s: %s", c.Ref(), apitext.ErrorMessage(retry))
			return retryableError(retry)
		}
		if err = nil; request == nil {
			return nil
		}
		if retry = c.send(ctx, *request, dryRun); retry != nil {
			err = fmt.Errorf("writing %s: %s", c.Ref(), writeErrorText(retry))
		}
		if apitext.IsOutdated(retry) {
			return retry
		}
		return retryableError(retry)
	}, func(int) {})
	return err
}

// request is the write that sets the values, nil if they are as they should be.
func (c ConfigMap) request(ctx context.Context, change func(map[string]string) (map[string]string, error)) (*Request, error) {
	var current map[string]string
	object, err := c.Source.Get(ctx, cluster.ConfigMapType, c.Name.Namespace, c.Name.Name)
	isAbsent := cluster.IsObjectNotFound(err)
	switch {
	case isAbsent:
	case err != nil:
		return nil, err
	default:
		if current, _, err = unstructured.NestedStringMap(object.Object, "data"); err != nil {
			return nil, err
		}
	}
	if object != nil {
		if binary, _, _ := unstructured.NestedMap(object.Object, "binaryData"); len(binary) > 0 {
			return nil, errors.New("it holds something else: name a ConfigMap that only sweeps use")
		}
	}
	set, err := change(current)
	if err != nil {
		return nil, err
	}
	if len(current) == 0 { // there is nothing to remove
		maps.DeleteFunc(set, func(_, value string) bool { return value == "" })
	}
	if isAbsent {
		return new(c.createRequest(set)), nil
	}
	return setValuesRequest(object, current, set), nil
}

func (c ConfigMap) createRequest(set map[string]string) Request {
	object := &unstructured.Unstructured{Object: map[string]any{"data": set}}
	object.SetGroupVersionKind(cluster.ConfigMapType.GVK())
	object.SetNamespace(c.Name.Namespace)
	object.SetName(c.Name.Name)
	return createRequest(cluster.ConfigMapType, object)
}

// setValuesRequest is the patch that sets values of a ConfigMap and changes nothing else, nil if it would change nothing.
// Keys of a ConfigMap have no characters that a path of the patch would have to escape.
func setValuesRequest(object *unstructured.Unstructured, current, set map[string]string) *Request {
	patch := []cluster.PatchOperation{
		{Op: "test", Path: "/metadata/uid", Value: string(object.GetUID())},
		{Op: "test", Path: "/metadata/resourceVersion", Value: object.GetResourceVersion()},
	}
	tests := len(patch)
	if len(current) == 0 {
		patch = append(patch, cluster.PatchOperation{Op: "add", Path: "/data", Value: set})
	} else {
		for key, value := range set {
			old, exists := current[key]
			switch {
			case value == "" && exists:
				patch = append(patch, cluster.PatchOperation{Op: "remove", Path: "/data/" + key})
			case value != "" && value != old:
				patch = append(patch, cluster.PatchOperation{Op: "add", Path: "/data/" + key, Value: value})
			}
		}
	}
	if len(patch) == tests {
		return nil
	}
	o := stuck.ObjectOf(cluster.ConfigMapType, metav1.ObjectMeta{Namespace: object.GetNamespace(), Name: object.GetName()})
	return &Request{Verb: http.MethodPatch, Path: o.Path(), Body: patch}
}

// send sends a write between two lines of the audit file.
func (c ConfigMap) send(ctx context.Context, request Request, dryRun bool) error {
	if dryRun {
		return c.Writer.Send(ctx, request, true)
	}
	defer c.Writer.begin()()
	entry := Step{Object: c.object()}.auditEntry(request)
	if err := c.Audit.Append(entry, AuditBegun); err != nil {
		return err
	}
	err := c.Writer.Send(context.WithoutCancel(ctx), request, false)
	result := Done.Words() + ": saved"
	if err != nil {
		result = Failed.Words() + ": " + writeErrorText(err)
	}
	c.Audit.AppendResult(entry, result)
	return err
}

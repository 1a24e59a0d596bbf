package cluster

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PatchOperation is one operation of a JSON patch (RFC 6902).
type PatchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// RemoveFinalizersPatch is the patch that takes finalizers off an object and changes nothing
// else. It holds only for the object with this uid, and only while each
// finalizer stands where it was seen: anything else makes the API server refuse
// it whole.
func RemoveFinalizersPatch(o stuck.Object, finalizers []string) []PatchOperation {
	chosen := sets.New(finalizers...)
	patch := []PatchOperation{{Op: "test", Path: "/metadata/uid", Value: string(o.UID)}}
	// From the last to the first, so that those before keep their places.
	for i, name := range slices.Backward(o.Finalizers) {
		if chosen.Has(name) {
			path := fmt.Sprintf("/metadata/finalizers/%d", i)
			patch = append(patch, PatchOperation{Op: "test", Path: path, Value: name}, PatchOperation{Op: "remove", Path: path})
		}
	}
	return patch
}

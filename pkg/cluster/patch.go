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

// MaxPatchOperations is how many operations of a JSON patch the API server accepts
// (k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
const MaxPatchOperations = 10000

// finalizersPath is where the list of finalizers stands in an object.
const finalizersPath = "/metadata/finalizers"

// RemoveFinalizersPatch is the patch that takes finalizers off an object and changes nothing
// else. It holds only for the object with this uid, and only while each
// finalizer stands where it was seen: anything else makes the API server refuse
// it whole. A test and an operation for each of thousands would be more than it accepts: then
// the patch tests the whole list, and removes or replaces that.
func RemoveFinalizersPatch(o stuck.Object, finalizers []string) []PatchOperation {
	chosen := sets.New(finalizers...)
	patch := []PatchOperation{{Op: "test", Path: "/metadata/uid", Value: string(o.UID)}}
	kept := slices.DeleteFunc(slices.Clone(o.Finalizers), chosen.Has)
	if 2*(len(o.Finalizers)-len(kept))+2 > MaxPatchOperations { // with a test of the uid, and one of the resourceVersion
		patch = append(patch, PatchOperation{Op: "test", Path: finalizersPath, Value: o.Finalizers})
		if len(kept) == 0 {
			return append(patch, PatchOperation{Op: "remove", Path: finalizersPath})
		}
		return append(patch, PatchOperation{Op: "replace", Path: finalizersPath, Value: kept})
	}
	// From the last to the first, so that those before keep their places.
	for i, name := range slices.Backward(o.Finalizers) {
		if chosen.Has(name) {
			path := fmt.Sprintf("%s/%d", finalizersPath, i)
			patch = append(patch, PatchOperation{Op: "test", Path: path, Value: name}, PatchOperation{Op: "remove", Path: path})
		}
	}
	return patch
}

package kit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Content is a whole object as the API server sends it, in which the catalog's fields
// are looked up; of a Secret only the metadata. It is false where the object could not
// be read, or is no longer the one that was seen.
func Content(view *cluster.View, o stuck.Object) (map[string]any, bool) {
	if !o.Type.IsSecret() {
		object, ok := cluster.ReadObject[unstructured.Unstructured](view, o)
		if !ok {
			return nil, false
		}
		return object.Object, true
	}
	metadata := view.MetadataOf(o)
	if !metadata.Found() || metadata.Value.UID != o.UID {
		return nil, false
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(metadata.Value)
	return content, err == nil
}

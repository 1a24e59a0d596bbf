package stuck

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// ObjectKey distinguishes objects: by uid, or by name where a server gives none.
type ObjectKey struct {
	uid       types.UID
	resource  schema.GroupResource
	namespace string
	name      string
}

// Key is what distinguishes the object from all others.
func (o Object) Key() ObjectKey {
	if o.UID != "" {
		return ObjectKey{uid: o.UID}
	}
	return ObjectKey{resource: o.Type.GVR().GroupResource(), namespace: o.Namespace, name: o.Name}
}

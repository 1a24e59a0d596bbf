package cluster

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listedForEach is how many objects of a type may be listed for each whose metadata is needed. A list of so many costs
// the API server less than as many requests.
const listedForEach = 10

// listedMetadata is the metadata of one of many objects of a type, which is read in one list for all of them. It is not ok
// where they are few, where the type has many more objects, or where the list does not hold the object: then the object itself has
// to be asked for, so that only its own answer can say that it does not exist.
func (v *View) listedMetadata(o stuck.Object) (*metav1.PartialObjectMetadata, bool) {
	names := v.options.diagnosed.examined[o.Type.GVR().String()]
	name := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
	lister, ok := v.shared.source.(MetadataLister)
	if !ok || len(names) <= bulkObjectThreshold || !names[name] {
		return nil, false
	}
	// More names may come when what these objects wait for is diagnosed.
	all := memoize(v, fmt.Sprintf("metadata of %d %s", len(names), o.Type.GVR()), func() map[types.NamespacedName]*metav1.PartialObjectMetadata {
		all := map[types.NamespacedName]*metav1.PartialObjectMetadata{}
		err := lister.ListMetadata(v.ctx, o.Type, names, listedForEach*len(names), func(m *metav1.PartialObjectMetadata) {
			all[types.NamespacedName{Namespace: m.Namespace, Name: m.Name}] = m
		})
		if err != nil {
			return nil // each object is asked for, and is a gap of its own if it cannot be read
		}
		return all
	})
	return all[name], all[name] != nil
}

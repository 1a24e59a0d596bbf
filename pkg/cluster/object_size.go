package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// SizedObject is an object and how many bytes it takes as JSON, which is how custom
// resources are stored.
type SizedObject struct {
	Object stuck.Object
	Bytes  int
}

// LargeObjects are the objects of a type in a namespace that take at least some bytes as
// JSON, the largest first. There are none of Secrets, whose data is not read.
func (v *View) LargeObjects(t stuck.Type, namespace string, bytes int) List[SizedObject] {
	if t.IsSecret() {
		return List[SizedObject]{}
	}
	return memoizeWithGaps(v, fmt.Sprintf("%s in %s larger than %d", t, namespace, bytes), func() (List[SizedObject], []stuck.Gap) {
		out := List[SizedObject]{Complete: true}
		err := v.shared.source.List(v.ctx, t, Selection{Namespace: namespace}, func(u unstructured.Unstructured) {
			if n := jsonSize(u.Object); n >= bytes {
				o := stuck.Object{Type: t, Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), Finalizers: u.GetFinalizers()}
				out.Items = append(out.Items, SizedObject{Object: o, Bytes: n})
			}
		})
		if err != nil {
			return List[SizedObject]{}, []stuck.Gap{listGap(t, namespace, err)}
		}
		slices.SortFunc(out.Items, func(a, b SizedObject) int {
			return cmp.Or(b.Bytes-a.Bytes, cmp.Compare(a.Object.Name, b.Object.Name))
		})
		return out, nil
	})
}

// SizeOf is how many bytes an object takes as JSON, false where it could not be read.
func (v *View) SizeOf(o stuck.Object) (bytes int, known bool) {
	if o.Type.IsSecret() {
		return 0, false
	}
	read, ok := ReadObject[unstructured.Unstructured](v, o)
	if !ok {
		return 0, false
	}
	return jsonSize(read.Object), true
}

func jsonSize(object map[string]any) int {
	text, err := json.Marshal(object)
	if err != nil {
		return 0 // what came as JSON always marshals
	}
	return len(text)
}

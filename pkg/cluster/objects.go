package cluster

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TypesForKind are the types of a kind that the server serves, in any group.
func (v *View) TypesForKind(kind string) []stuck.Type {
	var out []stuck.Type
	for _, t := range v.shared.types {
		if t.Kind == kind {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b stuck.Type) int { return cmp.Compare(a.Group, b.Group) })
	return out
}

// ObjectsNamed are the objects of a type that have a name, in all namespaces.
func (v *View) ObjectsNamed(t stuck.Type, name string) List[stuck.Object] {
	return objectsOf(v.survey("named "+name+" "+t.String(), SurveyRequest{
		Types: []stuck.Type{t}, Selection: Selection{Name: name}, Keep: func(stuck.Object) bool { return true },
	}))
}

// WorkloadObjects are all Deployments, StatefulSets and DaemonSets of the cluster, of which only the metadata is read.
func (v *View) WorkloadObjects() List[stuck.Object] {
	return v.Objects("", DeploymentType, StatefulSetType, DaemonSetType)
}

// Objects are all objects of some types in a namespace.
func (v *View) Objects(namespace string, types ...stuck.Type) List[stuck.Object] {
	return objectsOf(v.survey(fmt.Sprint("objects ", namespace, " ", types), SurveyRequest{
		Types: types, Selection: Selection{Namespace: namespace}, Keep: func(stuck.Object) bool { return true },
	}))
}

// ObjectsWithoutNamespace are the custom resources of the whole cluster that have no namespace although their type has them. It costs
// a look at all custom resources with namespaces.
func (v *View) ObjectsWithoutNamespace() List[stuck.Object] {
	types := slices.DeleteFunc(SurveyedTypes(v.shared.types, ""), func(t stuck.Type) bool { return !t.Namespaced || stuck.IsBuiltInGroup(t.Group) })
	return objectsOf(v.survey("objects without namespace", SurveyRequest{Types: types, Keep: stuck.Object.IsOutOfScope}))
}

// ObjectsLabeled are the objects of some types with a label, in a namespace or in all.
func (v *View) ObjectsLabeled(namespace, label string, types ...stuck.Type) List[stuck.Object] {
	return objectsOf(v.survey(fmt.Sprint("labelled ", label, " ", namespace, " ", types), SurveyRequest{
		Types: types, Selection: Selection{Namespace: namespace, Labels: label}, Keep: func(stuck.Object) bool { return true },
	}))
}

// SecretMetadata reads the metadata of a Secret, which reports whether it exists.
func (v *View) SecretMetadata(namespace, name string) Answer[metav1.PartialObjectMetadata] {
	return v.Metadata(SecretType, namespace, name)
}

// SelectObjects are the objects of a type that a function of their whole content
// chooses. The key distinguishes the choice from others; no more than one page of whole
// objects is kept.
func (v *View) SelectObjects(t stuck.Type, sel Selection, key string, chooses func(content map[string]any) bool) List[stuck.Object] {
	return memoizeWithGaps(v, fmt.Sprintf("select %s %+v by %s", t, sel, key), func() (List[stuck.Object], []stuck.Gap) {
		out := List[stuck.Object]{Complete: true}
		err := readEach(v, t, sel, func(u unstructured.Unstructured, object *metav1.PartialObjectMetadata) {
			if chooses(u.Object) {
				out.Items = append(out.Items, stuck.ObjectOf(t, object.ObjectMeta))
			}
		})
		if err != nil {
			return List[stuck.Object]{}, []stuck.Gap{listGap(t, sel.Namespace, err)}
		}
		out.ReadAt = v.Now()
		return out, nil
	})
}

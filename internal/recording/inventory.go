package recording

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What follows from other answers of the API server is an answer too:
//
//   - An object is absent where its type was read to the end, by a scan or a list without a
//     selector, and the object was not in it.
//   - A list holds what such a read holds, as far as each of these objects was read whole.
//   - An object that was read whole in a list is that object.
//
// A scan keeps no labels, annotations and managed fields, so an object that was only scanned has
// no metadata here. A read that failed implies nothing, nor does the absence of one.

// objectKey is an object of a type.
type objectKey struct{ typ, namespace, name string }

func keyOf(typ string, object map[string]any) objectKey {
	u := unstructured.Unstructured{Object: object}
	return objectKey{typ, u.GetNamespace(), u.GetName()}
}

// indexWhole finds the objects that were read whole.
func indexWhole(answers map[string]Answer) map[objectKey]map[string]any {
	whole := map[objectKey]map[string]any{}
	for question, a := range answers {
		kind, rest, _ := strings.Cut(question, " ")
		if kind != kindGet && kind != kindList || a.failed() {
			continue
		}
		words := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '/' })
		for _, object := range a.Objects {
			whole[keyOf(words[0], object)] = object
		}
	}
	return whole
}

// inventory are the objects that a type had in a namespace, as the recording has them: whole
// or as a scan keeps them. It is false unless the type was read to the end.
func (s *Source) inventory(t stuck.Type, namespace string) (map[objectKey]map[string]any, bool) {
	found, complete := map[objectKey]map[string]any{}, false
	for _, scope := range scopesOf(t, namespace) {
		for _, kind := range []string{kindScan, kindList} {
			a, recorded := s.answers[selectionQuestion(kind, t, cluster.Selection{Namespace: scope})]
			switch {
			case a.failed():
				return nil, false
			case kind == kindList && t.Group == rbacv1.GroupName:
				continue // the roles that every cluster has are left out (isDefaultRBAC)
			case recorded || kind == kindScan && s.surveyed(t, scope):
				complete = true
			}
			for _, object := range a.Objects {
				if key := keyOf(t.String(), object); namespace == "" || key.namespace == namespace {
					found[key] = object
				}
			}
		}
	}
	return found, complete
}

// scopesOf are the namespaces whose objects include those of one: itself, and the whole cluster.
func scopesOf(t stuck.Type, namespace string) []string {
	if namespace == "" || !t.Namespaced {
		return []string{""}
	}
	return []string{namespace, ""}
}

// surveyed reports whether a survey of a namespace scanned a type.
func (s *Source) surveyed(t stuck.Type, namespace string) bool {
	return slices.Contains(s.recording.Scanned, namespace) &&
		slices.ContainsFunc(s.types, func(other stuck.Type) bool {
			return other.GVR() == t.GVR() && len(cluster.SurveyedTypes([]stuck.Type{other}, namespace)) > 0
		})
}

// impliedObject is what the recording implies about one object: the object, or that it is absent.
// It is false where it implies nothing.
func (s *Source) impliedObject(kind string, t stuck.Type, namespace, name string) (Answer, bool) {
	other := kindGet
	if kind == kindGet {
		other = kindMetadata
	}
	if kind == kindGet && t.IsSecret() {
		return Answer{}, false // not even an absent one may be asked for
	}
	if a := s.answers[objectQuestion(other, t, namespace, name)]; a.Error != nil && a.Error.Reason == metav1.StatusReasonNotFound {
		return a, true
	}
	key := objectKey{t.String(), namespace, name}
	isPod := t.Group == corev1.GroupName && t.Resource == "pods" // the only ones that keep their managed fields
	if object, ok := s.whole[key]; ok && (kind == kindGet || isPod) {
		return Answer{Objects: []map[string]any{object}}, true
	}
	objects, complete := s.inventory(t, namespace)
	if !complete || objects[key] != nil {
		return Answer{}, false
	}
	status := apierrors.NewNotFound(t.GVR().GroupResource(), name).Status()
	return Answer{Error: &status}, true
}

// impliedObjects is what the recording implies about the objects of a type. It is false where it
// implies nothing.
func (s *Source) impliedObjects(kind string, t stuck.Type, sel cluster.Selection) (Answer, bool) {
	if kind == kindList && t.IsSecret() {
		return Answer{}, false
	}
	objects, complete := s.inventory(t, sel.Namespace)
	selector, err := labels.Parse(sel.Labels)
	if !complete || err != nil {
		return Answer{}, false
	}
	var out Answer
	for key, object := range objects {
		if sel.Name != "" && key.name != sel.Name {
			continue
		}
		if kind == kindList || !selector.Empty() {
			object = s.whole[key]
		}
		if sel.Fields != "" || object == nil {
			return Answer{}, false // fields are matched by the API server, each type's by rules of its own
		}
		if u := (unstructured.Unstructured{Object: object}); selector.Matches(labels.Set(u.GetLabels())) {
			out.Objects = append(out.Objects, object)
		}
	}
	slices.SortFunc(out.Objects, compareNames)
	return out, true
}

// compareNames is the order in which the API server lists objects.
func compareNames(a, b map[string]any) int {
	path := func(object map[string]any) string {
		u := unstructured.Unstructured{Object: object}
		return u.GetNamespace() + "/" + u.GetName()
	}
	return strings.Compare(path(a), path(b))
}

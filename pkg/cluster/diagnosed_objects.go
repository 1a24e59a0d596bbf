package cluster

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// bulkObjectThreshold is how many objects of one type in one namespace have to be asked
// about for them to be read in one go.
const bulkObjectThreshold = 10

// bulkNamespaceThreshold is how many namespaces have to be asked about for what each
// holds of a few things to be read for all of them in one go.
const bulkNamespaceThreshold = 10

// bulkTypeThreshold is how many types have to be asked about for one question about all types to be asked first.
const bulkTypeThreshold = 10

// diagnosedObjects says which of the objects that are asked about stand for others, and
// what there is so much of that it is read in one go.
type diagnosedObjects struct {
	// representatives are the objects that stand for many in a probe: to try each of
	// five thousand similar objects would cost five thousand requests, and all get
	// the same answer.
	representatives map[string]stuck.Object
	// everywhere are the objects that stand for similar ones in many namespaces, where nothing in a namespace can make
	// the result of a probe another.
	everywhere map[string]stuck.Object
	// bulk are the types and namespaces of which many objects are asked about.
	bulk map[string]bool
	// examined are the objects, by type, that no other stands for, and the definitions of their types: their metadata is read.
	examined map[string]map[types.NamespacedName]bool
	// manyNamespaces says that many namespaces are asked about, and manyTypes that many types are.
	manyNamespaces, manyTypes bool
}

// ForObjects is a view for questions about these objects, and those that it was
// for before.
func (v *View) ForObjects(objects []stuck.Object) *View {
	out := v.Scoped()
	out.options.diagnosed = v.options.diagnosed.with(objects)
	return out
}

func (a diagnosedObjects) with(objects []stuck.Object) diagnosedObjects {
	count, bulkCount, namespaceSet, typeSet := map[string]int{}, map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, o := range objects {
		count[probeKey(o)]++
		bulkCount[bulkKey(o.Type, o.Namespace)]++
		namespaceSet[o.Namespace], typeSet[o.Type.GVR().String()] = true, true
	}
	out := diagnosedObjects{
		representatives: map[string]stuck.Object{}, bulk: map[string]bool{},
		manyNamespaces: a.manyNamespaces || len(namespaceSet) > bulkNamespaceThreshold,
		manyTypes:      a.manyTypes || len(typeSet) > bulkTypeThreshold,
	}
	maps.Copy(out.representatives, a.representatives)
	maps.Copy(out.bulk, a.bulk)
	for key, n := range bulkCount {
		if n > bulkObjectThreshold {
			out.bulk[key] = true
		}
	}
	for _, o := range objects {
		if _, ok := out.representatives[probeKey(o)]; !ok && count[probeKey(o)] > stuck.MaxUngrouped && isProbeable(o) {
			out.representatives[probeKey(o)] = o
		}
	}
	out.addEverywhere(a, objects)
	out.addExamined(a, objects)
	return out
}

// addEverywhere chooses the objects that stand for similar ones in many namespaces, beside those that were chosen before.
func (a *diagnosedObjects) addEverywhere(before diagnosedObjects, objects []stuck.Object) {
	a.everywhere = map[string]stuck.Object{}
	maps.Copy(a.everywhere, before.everywhere)
	first, namespaces := map[string]stuck.Object{}, map[string]map[string]bool{}
	for _, o := range objects {
		key := similarKey(o)
		if !isProbeable(o) {
			continue
		}
		if _, ok := first[key]; !ok {
			first[key], namespaces[key] = o, map[string]bool{}
		}
		namespaces[key][o.Namespace] = true
	}
	for key, o := range first {
		if _, ok := a.everywhere[key]; !ok && len(namespaces[key]) > bulkNamespaceThreshold {
			a.everywhere[key] = o
		}
	}
}

// addExamined adds the objects that no other of their namespace stands for.
func (a *diagnosedObjects) addExamined(before diagnosedObjects, objects []stuck.Object) {
	a.examined = map[string]map[types.NamespacedName]bool{}
	for key, names := range before.examined {
		a.examined[key] = maps.Clone(names)
	}
	for _, o := range objects {
		if first, ok := a.representatives[probeKey(o)]; ok && first.UID != o.UID {
			continue
		}
		a.examine(o.Type, types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
		if !stuck.IsBuiltInGroup(o.Type.Group) {
			a.examine(CustomResourceDefinitionType, types.NamespacedName{Name: o.Type.String()})
		}
	}
}

func (a *diagnosedObjects) examine(t stuck.Type, name types.NamespacedName) {
	key := t.GVR().String()
	if a.examined[key] == nil {
		a.examined[key] = map[types.NamespacedName]bool{}
	}
	a.examined[key][name] = true
}

// isBulk reports whether many objects of a type in a namespace are asked about.
func (v *View) isBulk(t stuck.Type, namespace string) bool {
	return v.options.diagnosed.bulk[bulkKey(t, namespace)]
}

// coversManyNamespaces reports whether many namespaces are asked about.
func (v *View) coversManyNamespaces() bool { return v.options.diagnosed.manyNamespaces }

func bulkKey(t stuck.Type, namespace string) string { return t.GVR().String() + " " + namespace }

// probeKey is equal for objects whose probes would be the same.
func probeKey(o stuck.Object) string {
	return fmt.Sprintf("%s %s %q", o.Type.GVR(), o.Namespace, o.Finalizers)
}

// similarKey is equal for objects that are similar, in whichever namespace.
func similarKey(o stuck.Object) string { return fmt.Sprintf("%s %q", o.Type.GVR(), o.Finalizers) }

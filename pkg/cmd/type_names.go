package cmd

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// minShortened is how long the singular of a type has to be for its short name to stand
// in a table instead: "pod" is clearer than "po", and "pvc" fits where
// "persistentvolumeclaim" does not.
const minShortened = 9

// names are short names for the types of the cluster. Each of them is a word that, as an
// argument, means the same type.
func (s servedTypes) names() report.TypeNames {
	singulars, plurals, kinds := map[schema.GroupVersionResource]string{}, map[schema.GroupVersionResource]string{}, map[string]string{}
	return report.TypeNames{
		Singular: func(t stuck.Type) string {
			return remember(singulars, t.GVR(), func() string { return s.singularOf(t) })
		},
		Plural: func(t stuck.Type) string { return remember(plurals, t.GVR(), func() string { return s.pluralOf(t) }) },
		Kind:   func(kind string) string { return remember(kinds, kind, func() string { return s.nameOfKind(kind) }) },
	}
}

func remember[K comparable](known map[K]string, key K, find func() string) string {
	name, ok := known[key]
	if !ok {
		name = find()
		known[key] = name
	}
	return name
}

// singularOf is what to call an object of the type. Types of Kubernetes itself go by
// their short names, which everybody knows, all others by their own.
func (s servedTypes) singularOf(t stuck.Type) string {
	full := t.Singular()
	if !stuck.IsBuiltInGroup(t.Group) {
		if word := strings.ToLower(t.Kind); s.means(word, t) {
			return word
		}
		return full
	}
	if len(full) >= minShortened && len(t.ShortNames) > 0 && s.means(t.ShortNames[0], t) {
		return t.ShortNames[0]
	}
	return full
}

// pluralOf is what to call several objects of the type.
func (s servedTypes) pluralOf(t stuck.Type) string {
	if s.means(t.Resource, t) {
		return t.Resource
	}
	return t.String()
}

// nameOfKind is what to call an object of which only the kind is known.
func (s servedTypes) nameOfKind(kind string) string {
	var found []stuck.Type
	for _, t := range s.types {
		if t.Kind == kind && (len(found) == 0 || found[0].GroupKind() != t.GroupKind()) {
			found = append(found, t)
		}
	}
	if len(found) == 1 && (stuck.IsBuiltInGroup(found[0].Group) || len(s.gaps) == 0) {
		return s.singularOf(found[0])
	}
	return strings.ToLower(kind)
}

// means reports whether a word means the type and no other. With an API that could not
// be discovered, only a type of Kubernetes itself is known to come first.
func (s servedTypes) means(word string, t stuck.Type) bool {
	types, err := s.resolveAll(word)
	if err != nil || len(s.category(word)) > 0 || types[0].GVR() != t.GVR() {
		return false
	}
	return stuck.IsBuiltInGroup(t.Group) || len(types) == 1 && len(s.gaps) == 0
}

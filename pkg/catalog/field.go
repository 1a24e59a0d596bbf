package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Field is the path of a field in an object, with dots: spec.secretRef.name. [] behind a name stands for each entry of
// a list: spec.volumes[].claimName. A path holds one list at most.
type Field string

// fieldPattern takes the paths that a file may hold: below spec, status or metadata, or a top-level field of a kind
// that has neither, such as providerConfigRef.
var fieldPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(\[\])?(\.[A-Za-z][A-Za-z0-9_-]*(\[\])?)*$`)

func (f Field) check() error {
	if !fieldPattern.MatchString(string(f)) || strings.Count(string(f), "[]") > 1 {
		return fmt.Errorf("%q is not the path of a field, as in spec.secretRef.name or spec.refs[].name", f)
	}
	return nil
}

// isSet reports whether the catalog names a field at all.
func (f Field) isSet() bool { return f != "" }

// splitList parts a path at its list: spec.refs[].name is spec.refs and name.
func (f Field) splitList() (list, rest Field, ok bool) {
	before, after, ok := strings.Cut(string(f), "[]")
	return Field(before), Field(strings.TrimPrefix(after, ".")), ok
}

// value is the text of the field in an object, empty where it has none. Numbers and booleans are written out.
func (f Field) value(object map[string]any) string {
	if !f.isSet() {
		return ""
	}
	value, found, err := unstructured.NestedFieldNoCopy(object, strings.Split(string(f), ".")...)
	if !found || err != nil {
		return ""
	}
	switch value.(type) {
	case map[string]any, []any, nil:
		return ""
	}
	return fmt.Sprint(value)
}

// isFilled reports whether the field holds anything: a text, a number, or an object or a list that is not empty.
func (f Field) isFilled(object map[string]any) bool {
	value, _, err := unstructured.NestedFieldNoCopy(object, strings.Split(string(f), ".")...)
	if err != nil {
		return false
	}
	switch value := value.(type) {
	case map[string]any:
		return len(value) > 0
	case []any:
		return len(value) > 0
	}
	return f.value(object) != ""
}

// each calls visit with the objects in which the field, and others beside it, are to be looked up: the entries of its
// list, or the whole object where it has no list. The fields of the list lose its prefix.
func (f Field) each(object map[string]any, visit func(entry map[string]any, within func(Field) Field)) {
	list, rest, ok := f.splitList()
	if !ok {
		visit(object, func(field Field) Field { return field })
		return
	}
	value, _, err := unstructured.NestedFieldNoCopy(object, strings.Split(string(list), ".")...)
	if err != nil {
		return
	}
	entries, _ := value.([]any)
	for _, entry := range entries {
		within := func(field Field) Field {
			if other, otherRest, same := field.splitList(); same && other == list {
				return otherRest
			}
			return field
		}
		switch entry := entry.(type) {
		case map[string]any:
			visit(entry, within)
		case string: // a list of names
			if rest == "" {
				visit(map[string]any{"name": entry}, func(field Field) Field {
					if field == f {
						return "name"
					}
					return ""
				})
			}
		}
	}
}

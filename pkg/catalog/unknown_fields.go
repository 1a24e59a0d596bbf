package catalog

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// unknownFields walks a document beside the form it is to fill, and names the first field that the form lacks.
// The decoder's own strictness is lost once a document has been read into nodes, and nodes are needed for lines.
func unknownFields(node *yaml.Node, form any) error {
	return walkFields(node, reflect.TypeOf(form))
}

func walkFields(node *yaml.Node, form reflect.Type) error {
	if form.Kind() == reflect.Pointer {
		form = form.Elem()
	}
	switch {
	case form.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			if err := walkFields(item, form.Elem()); err != nil {
				return err
			}
		}
	case form.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		return walkStruct(node, form)
	case form.Kind() == reflect.Struct || form.Kind() == reflect.Slice:
		return fmt.Errorf("%d: found %s where %s belongs", node.Line, nodeKindName(node.Kind), formKindName(form.Kind()))
	}
	return nil
}

func walkStruct(node *yaml.Node, form reflect.Type) error {
	fields := map[string]reflect.Type{}
	var names []string
	for _, f := range reflect.VisibleFields(form) {
		if f.Anonymous { // its fields are inline
			continue
		}
		name := f.Tag.Get("yaml")
		fields[name] = f.Type
		names = append(names, name)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		field, known := fields[key.Value]
		if !known {
			return fmt.Errorf("%d: unknown field %q, known are %s", key.Line, key.Value, strings.Join(names, ", "))
		}
		if err := walkFields(node.Content[i+1], field); err != nil {
			return err
		}
	}
	return nil
}

func nodeKindName(kind yaml.Kind) string {
	switch kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

func formKindName(kind reflect.Kind) string {
	if kind == reflect.Slice {
		return "a list"
	}
	return "fields"
}

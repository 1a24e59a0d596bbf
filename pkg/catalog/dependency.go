package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Need is an object without which the controller cannot finish, and where the object being deleted names it.
type Need struct {
	Naming `json:",inline" yaml:",inline"`
	// Fixed is the name, where it is always the same.
	Fixed string `json:"fixed,omitempty" yaml:"fixed"`
	// Types are the types that the named object may be of. Where there are several, Kind is the field that says which;
	// where that field is empty, it is the first.
	Types []Type `json:"types" yaml:"types"`
	Kind  Field  `json:"kind,omitempty" yaml:"kind"`
	// Group is the field that holds the group or the apiVersion of the named object, which may then be of every kind of the
	// types, as in *.infrastructure.example.com.
	Group Field `json:"group,omitempty" yaml:"group"`
	// TypeOnly says that the controller needs the type to be served, and takes an object that does not exist for deleted.
	TypeOnly bool `json:"typeOnly,omitempty" yaml:"typeOnly"`
	// Namespace is the field that holds the namespace, or a fixed namespace. Where it is left out, or the field is
	// empty, it is the namespace of the object being deleted.
	Namespace string `json:"namespace,omitempty" yaml:"namespace"`
	// Purpose says what the controller needs it for, as the end of "the controller needs it ...".
	Purpose string `json:"purpose" yaml:"purpose"`
	// Unless are values of the object with which the controller does without.
	Unless []FieldValue `json:"unless,omitempty" yaml:"unless"`
	// Steps are the project's own way to finish without it.
	Steps []stuck.Step `json:"steps,omitempty" yaml:"steps"`
}

// FieldValue is a value of a field, of an annotation or a label, or the status of a condition.
type FieldValue struct {
	Field      Field  `json:"field,omitempty" yaml:"field"`
	Annotation string `json:"annotation,omitempty" yaml:"annotation"`
	Label      string `json:"label,omitempty" yaml:"label"`
	// Condition is the type of an entry of status.conditions.
	Condition string `json:"condition,omitempty" yaml:"condition"`
	// Value is the text of the value. Empty means any value, of a condition True.
	Value string `json:"value,omitempty" yaml:"value"`
	// Unset means that there is no such value.
	Unset bool `json:"unset,omitempty" yaml:"unset"`
}

// Reference is an object that another needs.
type Reference struct {
	// NamedBy is where the other names it, as Naming.Text says it, empty where the name is fixed.
	NamedBy string
	Type    Type
	// Namespace is empty where the fields name none.
	Namespace string
	Name      string
}

// References are the objects that an object needs, as its fields name them: none where it can do without.
func (n Need) References(object map[string]any) []Reference {
	if slices.ContainsFunc(n.Unless, func(v FieldValue) bool { return v.Matches(object) }) {
		return nil
	}
	if n.Fixed != "" {
		return []Reference{{Type: n.Types[0], Namespace: n.namespaceIn(object, func(f Field) Field { return f }), Name: n.Fixed}}
	}
	var out []Reference
	n.each(object, func(name string, entry map[string]any, within func(Field) Field) {
		t, ok := n.typeOf(within(n.Kind).value(entry), within(n.Group).value(entry))
		if !ok {
			return
		}
		out = append(out, Reference{NamedBy: n.Naming.Text(), Type: t, Namespace: n.namespaceIn(entry, within), Name: name})
	})
	return out
}

// namespaceIn is the namespace that the need names in an entry of an object, or the fixed one.
func (n Need) namespaceIn(entry map[string]any, within func(Field) Field) string {
	if field := Field(n.Namespace); isFieldOfObject(field) {
		return within(field).value(entry)
	}
	return n.Namespace
}

// typeOf is the type of a kind, in the group where one is named; false for one that is none of the need's.
func (n Need) typeOf(kind, group string) (Type, bool) {
	if n.Group.isSet() {
		group = n.groupOf(group)
		known := slices.ContainsFunc(n.Types, func(t Type) bool { return t.Matches(Subject{Kind: kind, Group: group}) })
		return Type(strings.TrimSuffix(kind+"."+group, ".")), known && kind != ""
	}
	if kind == "" {
		return n.Types[0], true
	}
	for _, t := range n.Types {
		if k, _ := t.split(); k == kind {
			return t, true
		}
	}
	return "", false
}

// groupOf is the group in the value of a field that holds a group or an apiVersion. That of the core group is v1 alone.
func (n Need) groupOf(value string) string {
	group, _, hasVersion := strings.Cut(value, "/")
	if !hasVersion && strings.HasSuffix(strings.ToLower(string(n.Group)), "apiversion") {
		return ""
	}
	return group
}

// isFieldOfObject distinguishes a field from a fixed namespace, which never holds a dot.
func isFieldOfObject(f Field) bool { return strings.Contains(string(f), ".") }

// Matches reports whether an object has the value, or, where it is to be unset, has none; of the entries of a list, one
// is enough.
func (v FieldValue) Matches(object map[string]any) bool { return v.isIn(object) != v.Unset }

func (v FieldValue) isIn(object map[string]any) (matches bool) {
	if v.Condition != "" {
		return conditionStatus(object, v.Condition) == cmp.Or(v.Value, "True")
	}
	if v.Field.isSet() {
		v.Field.each(object, func(entry map[string]any, within func(Field) Field) {
			field := within(v.Field)
			matches = matches || field.isFilled(entry) && (v.Value == "" || field.value(entry) == v.Value)
		})
		return matches
	}
	value, set := v.lookup(object)
	return set && (v.Value == "" || value == v.Value)
}

func (v FieldValue) lookup(object map[string]any) (value string, set bool) {
	if v.Field.isSet() {
		value = v.Field.value(object)
		return value, value != ""
	}
	metadata, _ := object["metadata"].(map[string]any)
	values, name := "annotations", v.Annotation
	if v.Label != "" {
		values, name = "labels", v.Label
	}
	all, _ := metadata[values].(map[string]any)
	text, set := all[name].(string)
	return text, set
}

// conditionStatus is the status of a condition of an object, empty where it has none.
func conditionStatus(object map[string]any, name string) (status string) {
	Field("status.conditions[].type").each(object, func(entry map[string]any, _ func(Field) Field) {
		if entry["type"] == name {
			status = Field("status").value(entry)
		}
	})
	return status
}

// String is the value as a person names it: annotation example.com/paused, spec.paused.
func (v FieldValue) String() string {
	switch {
	case v.Annotation != "":
		return "annotation " + v.Annotation
	case v.Label != "":
		return "label " + v.Label
	case v.Condition != "":
		return "condition " + v.Condition
	}
	return string(v.Field)
}

// Text is the value and its name: annotation example.com/paused=true, spec.paused=true.
func (v FieldValue) Text() string {
	text := v.String()
	if v.Value != "" {
		text += "=" + v.Value
	}
	if v.Unset {
		return "no " + text
	}
	return text
}

// isNamed reports whether the catalog names a value at all.
func (v FieldValue) isNamed() bool {
	return v.Field.isSet() || v.Annotation != "" || v.Label != "" || v.Condition != ""
}

func (v FieldValue) check() error {
	named := 0
	for _, name := range []string{string(v.Field), v.Annotation, v.Label, v.Condition} {
		if name != "" {
			named++
		}
	}
	if named != 1 {
		return errors.New("name one of field, annotation, label and condition")
	}
	if v.Field.isSet() {
		return v.Field.check()
	}
	return nil
}

// Text is how the object is named: by spec.secretRef.name, or with its fixed name.
func (n Need) Text() string {
	if n.Fixed != "" {
		return n.Fixed
	}
	return n.Naming.Text()
}

// checkName returns what is wrong with how the object is named.
func (n Need) checkName() error {
	switch {
	case n.Fixed == "":
		return n.Naming.check()
	case n.isNamed() || n.Kind.isSet():
		return errors.New("fixed stands for the whole name: no field says more of it")
	}
	return nil
}

func (n Need) check() error {
	if err := n.checkName(); err != nil {
		return fmt.Errorf("needs: %w", err)
	}
	if len(n.Types) == 0 || (len(n.Types) > 1 || n.Group.isSet()) && !n.Kind.isSet() {
		return fmt.Errorf("needs: %s: types names one type, or several with kind, the field that says which", n.Text())
	}
	if n.Purpose == "" {
		return fmt.Errorf("needs: %s: purpose is missing: say what the controller needs it for", n.Text())
	}
	for _, t := range n.Types {
		if err := t.check(); err != nil {
			return fmt.Errorf("needs: %s: %w", n.Text(), err)
		}
	}
	for _, v := range n.Unless {
		if err := v.check(); err != nil {
			return fmt.Errorf("needs: %s: unless: %w", n.Text(), err)
		}
	}
	return checkSteps(n.Steps)
}

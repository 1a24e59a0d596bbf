package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Need is an object without which the controller cannot finish, and where the object being deleted names it.
type Need struct {
	Link `json:",inline" yaml:",inline"`
	// Of are the objects in between, where the object being deleted does not name the needed one itself: it names the
	// first, each of them the next, and the last one the needed object.
	Of []Link `json:"of,omitempty" yaml:"of"`
	// TypeOnly says that the controller needs the type to be served, and takes an object that does not exist for deleted.
	TypeOnly bool `json:"typeOnly,omitempty" yaml:"typeOnly"`
	// Purpose says what the controller needs it for, as the end of "the controller needs it ...".
	Purpose string `json:"purpose" yaml:"purpose"`
	// Unless are values of the object being deleted with which the controller does without.
	Unless []FieldValue `json:"unless,omitempty" yaml:"unless"`
	// Steps are the project's own way to finish without it.
	Steps []stuck.Step `json:"steps,omitempty" yaml:"steps"`
}

// Applies reports whether the controller needs it to finish the deletion of an object, as far as the values of that
// object say.
func (n Need) Applies(object map[string]any) bool {
	return !slices.ContainsFunc(n.Unless, func(v FieldValue) bool { return v.Matches(object) })
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

func (n Need) check() error {
	if err := n.Link.check(); err != nil {
		return fmt.Errorf("needs: %w", err)
	}
	if n.Purpose == "" {
		return fmt.Errorf("needs: %s: purpose is missing: say what the controller needs it for", n.Text())
	}
	if err := checkLinks(n.Of); err != nil {
		return fmt.Errorf("needs: %s: of: %w", n.Text(), err)
	}
	for _, v := range n.Unless {
		if err := v.check(); err != nil {
			return fmt.Errorf("needs: %s: unless: %w", n.Text(), err)
		}
	}
	return checkSteps(n.Steps)
}

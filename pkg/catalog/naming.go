package catalog

import (
	"cmp"
	"errors"
)

// Naming is where an object holds the name of another.
type Naming struct {
	// Name is the field, Label the label or Annotation the annotation that holds the name; one of them.
	Name       Field  `json:"name,omitempty" yaml:"name"`
	Label      string `json:"label,omitempty" yaml:"label"`
	Annotation string `json:"annotation,omitempty" yaml:"annotation"`
	// Default is the name that an empty value means.
	Default string `json:"default,omitempty" yaml:"default"`
	// Prefix and Suffix stand before and behind the value in the name of the other object.
	Prefix string `json:"prefix,omitempty" yaml:"prefix"`
	Suffix string `json:"suffix,omitempty" yaml:"suffix"`
}

// each calls visit with each name that an object holds, the entry of a list it is in, or the object itself, and with how
// other fields beside the name are looked up in that.
func (n Naming) each(object map[string]any, visit func(name string, entry map[string]any, within func(Field) Field)) {
	n.Name.each(object, func(entry map[string]any, within func(Field) Field) {
		value := within(n.Name).value(entry)
		if !n.Name.isSet() {
			value, _ = FieldValue{Label: n.Label, Annotation: n.Annotation}.lookup(object)
		}
		if value = cmp.Or(value, n.Default); value != "" {
			visit(n.Prefix+value+n.Suffix, entry, within)
		}
	})
}

// isNamed reports whether the catalog says where the name is.
func (n Naming) isNamed() bool { return n != Naming{} }

// Text is where the name is: spec.secretRef.name, label example.com/owner, metadata.name with suffix -kubeconfig.
func (n Naming) Text() string {
	text := FieldValue{Field: n.Name, Label: n.Label, Annotation: n.Annotation}.String()
	if n.Prefix != "" {
		text += " with prefix " + n.Prefix
	}
	if n.Suffix != "" {
		text += " with suffix " + n.Suffix
	}
	return text
}

// check returns what is wrong with the naming of an object that it has to name.
func (n Naming) check() error {
	named := 0
	for _, place := range []string{string(n.Name), n.Label, n.Annotation} {
		if place != "" {
			named++
		}
	}
	if named != 1 {
		return errors.New("name one of name, label and annotation: what holds the name of the other object")
	}
	if n.Name.isSet() {
		return n.Name.check()
	}
	return nil
}

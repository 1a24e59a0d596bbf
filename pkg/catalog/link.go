package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Link is where an object names another, and of which type that is.
type Link struct {
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
	// Namespace is the field that holds the namespace, or a fixed namespace. Where it is left out, or the field is
	// empty, it is the namespace of the object that names the other.
	Namespace string `json:"namespace,omitempty" yaml:"namespace"`
}

// Reference is an object that another names.
type Reference struct {
	// NamedBy is where the other names it, as Naming.Text says it, empty where the name is fixed.
	NamedBy string
	Type    Type
	// Namespace is empty where the fields name none.
	Namespace string
	Name      string
}

// References are the objects that an object names.
func (l Link) References(object map[string]any) []Reference {
	if l.Fixed != "" {
		return []Reference{{Type: l.Types[0], Namespace: l.namespaceIn(object, func(f Field) Field { return f }), Name: l.Fixed}}
	}
	var out []Reference
	l.each(object, func(name string, entry map[string]any, within func(Field) Field) {
		t, ok := l.typeOf(within(l.Kind).value(entry), within(l.Group).value(entry))
		if !ok {
			return
		}
		out = append(out, Reference{NamedBy: l.Naming.Text(), Type: t, Namespace: l.namespaceIn(entry, within), Name: name})
	})
	return out
}

// namespaceIn is the namespace that the link names in an entry of an object, or the fixed one.
func (l Link) namespaceIn(entry map[string]any, within func(Field) Field) string {
	if field := Field(l.Namespace); isFieldOfObject(field) {
		return within(field).value(entry)
	}
	return l.Namespace
}

// typeOf is the type of a kind, in the group where one is named; false for one that is none of the link's.
func (l Link) typeOf(kind, group string) (Type, bool) {
	if l.Group.isSet() {
		group = l.groupOf(group)
		known := slices.ContainsFunc(l.Types, func(t Type) bool { return t.Matches(Subject{Kind: kind, Group: group}) })
		return Type(strings.TrimSuffix(kind+"."+group, ".")), known && kind != ""
	}
	if kind == "" {
		return l.Types[0], true
	}
	for _, t := range l.Types {
		if k, _ := t.split(); k == kind {
			return t, true
		}
	}
	return "", false
}

// groupOf is the group in the value of a field that holds a group or an apiVersion. That of the core group is v1 alone.
func (l Link) groupOf(value string) string {
	group, _, hasVersion := strings.Cut(value, "/")
	if !hasVersion && strings.HasSuffix(strings.ToLower(string(l.Group)), "apiversion") {
		return ""
	}
	return group
}

// isFieldOfObject distinguishes a field from a fixed namespace, which never holds a dot.
func isFieldOfObject(f Field) bool { return strings.Contains(string(f), ".") }

// Text is how the object is named: by spec.secretRef.name, or with its fixed name.
func (l Link) Text() string {
	if l.Fixed != "" {
		return l.Fixed
	}
	return l.Naming.Text()
}

func (l Link) check() error {
	if err := l.checkName(); err != nil {
		return err
	}
	if len(l.Types) == 0 || (len(l.Types) > 1 || l.Group.isSet()) && !l.Kind.isSet() {
		return fmt.Errorf("%s: types names one type, or several with kind, the field that says which", l.Text())
	}
	for _, t := range l.Types {
		if err := t.check(); err != nil {
			return fmt.Errorf("%s: %w", l.Text(), err)
		}
	}
	return nil
}

// checkName returns what is wrong with how the object is named.
func (l Link) checkName() error {
	switch {
	case l.Fixed == "":
		return l.Naming.check()
	case l.isNamed() || l.Kind.isSet():
		return errors.New("fixed stands for the whole name: no field says more of it")
	}
	return nil
}

// checkLinks returns what is wrong with the objects in between, which are read whole.
func checkLinks(links []Link) error {
	for _, l := range links {
		if err := l.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(l.Types, func(t Type) bool { return t.Matches(Subject{Kind: "Secret"}) }) {
			return fmt.Errorf("%s: a Secret is never read: it cannot name another object", l.Text())
		}
	}
	return nil
}

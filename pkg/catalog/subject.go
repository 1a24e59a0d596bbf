package catalog

import "strings"

// Subject is the object that carries a finalizer, as far as it is known. The more is known, the more a lookup can
// say; a Subject with nothing in it is allowed.
type Subject struct {
	// Kind, Group and Resource (plural, lower case) are the object's type. Group is empty for the core group.
	Kind     string
	Group    string
	Resource string
	// Managers are the field managers that wrote the object.
	Managers []string
	// Groups are the API groups that the cluster serves, CRDs the names (plural.group) of its custom resources.
	Groups []string
	CRDs   []string
}

// hasType reports whether the type of the object is known at all.
func (subject Subject) hasType() bool { return subject.Kind != "" || subject.Resource != "" }

// typeName is the type as kubectl takes it: widgets.example.com.
func (subject Subject) typeName() string {
	name := subject.Resource
	if name == "" {
		name = strings.ToLower(subject.Kind)
	}
	if name == "" || subject.Group == "" {
		return name
	}
	return name + "." + subject.Group
}

// kindNames are the names by which a finalizer may call the subject's kind, in lower case.
func (subject Subject) kindNames() []string {
	var words []string
	if subject.Kind != "" {
		kind := strings.ToLower(subject.Kind)
		words = append(words, kind, plural(kind))
	}
	if subject.Resource != "" {
		words = append(words, strings.ToLower(subject.Resource))
	}
	return words
}

// plural is the usual plural of a lower-case kind, as CRD generators build it.
func plural(kind string) string {
	switch {
	case kind == "" || strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		return kind + "es"
	case strings.HasSuffix(kind, "y") && len(kind) > 1 && !strings.ContainsRune("aeiou", rune(kind[len(kind)-2])):
		return kind[:len(kind)-1] + "ies"
	case strings.HasSuffix(kind, "ss"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"), strings.HasSuffix(kind, "sh"):
		return kind + "es"
	}
	return kind + "s"
}

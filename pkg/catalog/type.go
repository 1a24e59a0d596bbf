package catalog

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Type names the types that carry a finalizer: Kind.group, Kind alone in the core group, with wildcards.
type Type string

// split parts a type into its kind and its group; "*" alone means every type.
func (t Type) split() (kind, group string) {
	if t == "*" {
		return "*", "*"
	}
	kind, group, _ = strings.Cut(string(t), ".")
	return kind, group
}

// Matches reports whether the type takes in the subject's. A subject of unknown type fits nothing.
func (t Type) Matches(subject Subject) bool {
	if !subject.hasType() {
		return false
	}
	kind, group := t.split()
	return groupMatches(group, subject.Group) && kindMatches(kind, subject)
}

func kindMatches(kind string, subject Subject) bool {
	if kind == "*" || kind == subject.Kind {
		return true
	}
	// Without the kind, the plural has to do.
	return subject.Kind == "" && strings.EqualFold(plural(strings.ToLower(kind)), subject.Resource)
}

func groupMatches(pattern, group string) bool {
	if pattern == "*" || pattern == group {
		return true
	}
	below, wild := strings.CutPrefix(pattern, "*.")
	return wild && strings.HasSuffix(group, "."+below)
}

// overlaps reports whether some type is taken in by both.
func (t Type) overlaps(other Type) bool {
	kind, group := t.split()
	otherKind, otherGroup := other.split()
	kinds := kind == "*" || otherKind == "*" || kind == otherKind
	return kinds && (groupMatches(group, otherGroup) || groupMatches(otherGroup, group))
}

// check says what is wrong with the type's form.
func (t Type) check() error {
	kind, group := t.split()
	if kind == "" || strings.ContainsAny(string(t), " /,()") {
		return fmt.Errorf("type %q is not Kind.group", t)
	}
	if kind != "*" && (kind[0] < 'A' || kind[0] > 'Z') && !lowerCaseKind(kind) {
		return fmt.Errorf("type %q must start with the kind, as in Service or Certificate.cert-manager.io", t)
	}
	if strings.Contains(strings.TrimPrefix(group, "*."), "*") && group != "*" {
		return fmt.Errorf("type %q: a group's wildcard is * or *.domain", t)
	}
	return nil
}

// lowerCaseKind names the kinds whose makers wrote them in lower case.
func lowerCaseKind(kind string) bool { return kind == "postgresql" }

// GroupKind is the type without wildcards, as the API server names it.
func (t Type) GroupKind() schema.GroupKind {
	kind, group := t.split()
	return schema.GroupKind{Group: group, Kind: kind}
}

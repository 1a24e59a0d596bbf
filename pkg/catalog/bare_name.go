package catalog

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// matchManagerName knows names that hold the name of a program that wrote the object: "kube-ovn-controller".
func matchManagerName(name string, subject Subject) (Match, bool) {
	for _, manager := range subject.Managers {
		if containsWords(name, manager) {
			reason := fmt.Sprintf("the finalizer name contains %s, a field manager that wrote the object", manager)
			return Match{Convention: ContainsManager, BelongsTo: manager, Reason: reason}, true
		}
	}
	return Match{}, false
}

// matchKindName knows names without a domain that hold the type's kind: "redisFinalizer" on a Redis.
func matchKindName(name string, subject Subject) (Match, bool) {
	group := subject.Group
	// A core kind's name says nothing: anybody may put a finalizer on a Pod.
	if group == "" || !hasNoDomain(name) {
		return Match{}, false
	}
	for _, word := range append([]string{subject.Kind}, subject.kindNames()...) {
		if containsWords(name, word) {
			reason := fmt.Sprintf("the finalizer name contains %s, the object's kind", subject.kindName())
			return Match{Convention: ContainsKind, BelongsTo: group, Reason: reason}, true
		}
	}
	return Match{}, false
}

// matchGroupName knows names without a domain that hold a word of the type's API group: "gardener" in
// core.gardener.cloud.
func matchGroupName(name string, subject Subject) (Match, bool) {
	if !hasNoDomain(name) {
		return Match{}, false
	}
	labels := strings.Split(subject.Group, ".")
	for _, label := range labels[:max(0, len(labels)-1)] {
		if slices.Contains(genericWords(), label) || !containsWords(name, label) {
			continue
		}
		reason := fmt.Sprintf("the finalizer name contains %s, a word of %s, the API group of the object's type", label, subject.Group)
		return Match{Convention: ContainsGroup, BelongsTo: subject.Group, Reason: reason}, true
	}
	return Match{}, false
}

// hasNoDomain reports whether a name has no domain in front. Some names have dots and are no domain all the same:
// "seldon.model.finalizer".
func hasNoDomain(name string) bool {
	head, _, _ := strings.Cut(strings.ToLower(name), "/")
	labels := strings.Split(head, ".")
	return len(labels) == 1 || slices.Contains([]string{"finalizer", "finalizers", "name"}, labels[len(labels)-1])
}

// kindName is what to call the subject's type in a sentence.
func (subject Subject) kindName() string {
	if subject.Kind != "" {
		return subject.Kind
	}
	return subject.Resource
}

// containsWords reports whether the words of part stand in name one after the other. Short words are no proof.
func containsWords(name, part string) bool {
	all, some := splitWords(name), splitWords(part)
	if len(strings.Join(some, "")) < 4 {
		return false
	}
	for i := 0; i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	// Many write several words as one: "opensearchcluster" for OpenSearchCluster.
	return slices.Contains(all, strings.Join(some, ""))
}

// splitWords parts a name at every sign that is no letter or digit and where a capital follows a small letter.
func splitWords(name string) []string {
	var parted strings.Builder
	var last rune
	for _, char := range name {
		switch {
		case !unicode.IsLetter(char) && !unicode.IsDigit(char):
			char = ' '
		case unicode.IsUpper(char) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			parted.WriteRune(' ')
		}
		parted.WriteRune(unicode.ToLower(char))
		last = char
	}
	return strings.Fields(parted.String())
}

// genericWords are words of API groups that are in too many names to say anything.
func genericWords() []string {
	return []string{
		"apps", "api", "apis", "cluster", "controller", "core", "kubernetes", "manager", "finalizer", "finalizers",
		"operator", "operators", "resource", "resources", "infrastructure", "extensions", "config", "storage",
		"networking", "policy", "serving", "database", "databases", "monitoring", "cloud", "service", "services",
	}
}

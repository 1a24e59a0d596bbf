package catalog

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// namesManager knows names that hold the name of a program that wrote the object: "kube-ovn-controller".
func namesManager(name string, on Subject) (Match, bool) {
	for _, manager := range on.Managers {
		if holdsWords(name, manager) {
			because := fmt.Sprintf("its name holds %s, a field manager that wrote the object", manager)
			return Match{Convention: NamesManager, Owner: manager, Because: because}, true
		}
	}
	return Match{}, false
}

// namesKind knows names without a domain that hold the type's kind: "redisFinalizer" on a Redis.
func namesKind(name string, on Subject) (Match, bool) {
	owner := on.Group
	// A core kind's name says nothing: anybody may put a finalizer on a Pod.
	if owner == "" || !bare(name) {
		return Match{}, false
	}
	for _, word := range append([]string{on.Kind}, on.words()...) {
		if holdsWords(name, word) {
			because := fmt.Sprintf("its name holds %s, the kind it is on", on.kindWord())
			return Match{Convention: NamesKind, Owner: owner, Because: because}, true
		}
	}
	return Match{}, false
}

// namesGroup knows names without a domain that hold a word of the type's API group: "gardener" in
// core.gardener.cloud.
func namesGroup(name string, on Subject) (Match, bool) {
	if !bare(name) {
		return Match{}, false
	}
	labels := strings.Split(on.Group, ".")
	for _, label := range labels[:max(0, len(labels)-1)] {
		if slices.Contains(emptyWords(), label) || !holdsWords(name, label) {
			continue
		}
		because := fmt.Sprintf("its name holds %s, a word of %s, the API group of the type it is on", label, on.Group)
		return Match{Convention: NamesGroup, Owner: on.Group, Because: because}, true
	}
	return Match{}, false
}

// bare reports whether a name has no domain in front. Some names have dots and are no domain all the same:
// "seldon.model.finalizer".
func bare(name string) bool {
	head, _, _ := strings.Cut(strings.ToLower(name), "/")
	labels := strings.Split(head, ".")
	return len(labels) == 1 || slices.Contains([]string{"finalizer", "finalizers", "name"}, labels[len(labels)-1])
}

// kindWord is what to call the subject's type in a sentence.
func (on Subject) kindWord() string {
	if on.Kind != "" {
		return on.Kind
	}
	return on.Resource
}

// holdsWords reports whether the words of part stand in name one after the other. Short words are no proof.
func holdsWords(name, part string) bool {
	all, some := words(name), words(part)
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

// words parts a name at every sign that is no letter or digit and where a capital follows a small letter.
func words(name string) []string {
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

// emptyWords are words of API groups that are in too many names to say anything.
func emptyWords() []string {
	return []string{
		"apps", "api", "apis", "cluster", "controller", "core", "kubernetes", "manager", "finalizer", "finalizers",
		"operator", "operators", "resource", "resources", "infrastructure", "extensions", "config", "storage",
		"networking", "policy", "serving", "database", "databases", "monitoring", "cloud", "service", "services",
	}
}

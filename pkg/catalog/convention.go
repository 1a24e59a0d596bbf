package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Convention is a habit of naming finalizers from which the controller can be read.
type Convention string

// The conventions, in the order in which they are tried.
const (
	// DeletionFinalizers is deletion.finalizers.<plural>.<group>.
	DeletionFinalizers Convention = "deletion.finalizers.plural.group"
	// CRDName is <plural>.<group>, the custom resource's own name, often with /finalizer behind it.
	CRDName Convention = "plural.group"
	// KindDotGroup is <kind>.<group>, with or without a last part.
	KindDotGroup Convention = "kind.group"
	// GroupSlashKind is <group>/<kind>.
	GroupSlashKind Convention = "group/kind"
	// KindSlashGroup is <kind>/<group>, the reverse.
	KindSlashGroup Convention = "kind/group"
	// OwnGroup ends with the type's own API group.
	OwnGroup Convention = "own-group"
	// ReversedGroup ends with the labels of the type's own API group in reverse order.
	ReversedGroup Convention = "reversed-group"
	// OtherCRD is the name of another custom resource of the cluster.
	OtherCRD Convention = "other-crd"
	// OtherGroup ends with an API group that the cluster serves for other types.
	OtherGroup Convention = "other-group"
	// OwnDomain shares the makers' domain with the type's API group.
	OwnDomain Convention = "own-domain"
	// ContainsManager has the name of a program that wrote the object in it.
	ContainsManager Convention = "names-manager"
	// ContainsKind has the type's own kind in it.
	ContainsKind Convention = "names-kind"
	// ContainsGroup has a label of the type's API group in it.
	ContainsGroup Convention = "names-group"
)

// byConvention reads the controller from the shape of a name and the type that carries it. It knows no names, so what it
// says is weaker than an entry, and it says nothing rather than guess.
func byConvention(name string, subject Subject) (Match, bool) {
	rules := []func(string, Subject) (Match, bool){
		matchOwnGroup, matchKindSlashGroup, matchReversedGroup, matchOtherType, matchOwnDomain, matchManagerName, matchKindName, matchGroupName,
	}
	for _, rule := range rules {
		if match, ok := rule(name, subject); ok {
			match.Finalizer, match.How = name, ByConvention
			return match, true
		}
	}
	return Match{}, false
}

// matchOwnGroup knows names that hold the API group of the type they are on.
func matchOwnGroup(name string, subject Subject) (Match, bool) {
	head, tail, _ := strings.Cut(strings.ToLower(name), "/")
	if !strings.Contains(subject.Group, ".") {
		return Match{}, false
	}
	before, ok := strings.CutSuffix(head, subject.Group)
	if !ok || before != "" && !strings.HasSuffix(before, ".") {
		return Match{}, false
	}
	match := Match{Convention: OwnGroup, BelongsTo: subject.Group}
	for i, word := range subject.kindNames() {
		isKind := i == 0 && subject.Kind != ""
		switch {
		case before == "deletion.finalizers."+word+".":
			match.Convention = DeletionFinalizers
		case before == word+"." && isKind:
			match.Convention = KindDotGroup
		case before == word+".":
			match.Convention = CRDName
		case before == "" && tail == word:
			match.Convention = GroupSlashKind
		default:
			continue
		}
		break
	}
	match.Reason = fmt.Sprintf("the finalizer name contains %s, the API group of the object's type", subject.Group)
	return match, true
}

// matchKindSlashGroup knows the reverse of the usual order.
func matchKindSlashGroup(name string, subject Subject) (Match, bool) {
	head, tail, _ := strings.Cut(strings.ToLower(name), "/")
	if subject.Group == "" || tail != subject.Group {
		return Match{}, false
	}
	for _, word := range subject.kindNames() {
		if head == word {
			reason := fmt.Sprintf("the finalizer name is the kind and %s, the API group of the object's type", subject.Group)
			return Match{Convention: KindSlashGroup, BelongsTo: subject.Group, Reason: reason}, true
		}
	}
	return Match{}, false
}

// matchReversedGroup knows names whose domain is the API group read backwards: some groups are org.example.app.
func matchReversedGroup(name string, subject Subject) (Match, bool) {
	head, _, _ := strings.Cut(strings.ToLower(name), "/")
	labels := strings.Split(subject.Group, ".")
	slices.Reverse(labels)
	reversed := strings.Join(labels, ".")
	if len(labels) < 2 || head != reversed && !strings.HasSuffix(head, "."+reversed) {
		return Match{}, false
	}
	reason := fmt.Sprintf("the finalizer name contains %s, the API group of the object's type in reverse", reversed)
	return Match{Convention: ReversedGroup, BelongsTo: subject.Group, Reason: reason}, true
}

// matchOwnDomain knows names under the domain that the type's API group is under.
func matchOwnDomain(name string, subject Subject) (Match, bool) {
	head, _, _ := strings.Cut(strings.ToLower(name), "/")
	domain := sharedDomain(head, subject.Group)
	if domain == "" {
		return Match{}, false
	}
	reason := fmt.Sprintf("the finalizer name and %s, the API group of the object's type, are both under %s", subject.Group, domain)
	return Match{Convention: OwnDomain, BelongsTo: subject.Group, Reason: reason}, true
}

// matchOtherType knows names that hold another API group, or the name of another custom resource, of the cluster.
func matchOtherType(name string, subject Subject) (Match, bool) {
	head, tail, _ := strings.Cut(strings.ToLower(name), "/")
	for _, crd := range subject.CRDs {
		if head == crd || tail == crd {
			reason := "the finalizer name is that of the custom resource " + crd
			return Match{Convention: OtherCRD, BelongsTo: crd, Reason: reason}, true
		}
	}
	longest := ""
	for _, group := range subject.Groups {
		holds := head == group || tail == group || strings.HasSuffix(head, "."+group)
		if strings.Contains(group, ".") && holds && len(group) > len(longest) {
			longest = group
		}
	}
	if longest == "" {
		return Match{}, false
	}
	reason := fmt.Sprintf("the finalizer name contains %s, an API group of other types in the cluster", longest)
	return Match{Convention: OtherGroup, BelongsTo: longest, Reason: reason}, true
}

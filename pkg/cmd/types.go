package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// target is what an argument names: a type, and one object of it or all.
type target struct {
	Type stuck.Type
	Name string // empty means all
}

// parseTargets reads arguments as kubectl get does: "pods", "pods,services",
// "pod/web", "pod web db", "all".
func parseTargets(served servedTypes, args []string) ([]target, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if !strings.Contains(args[0], "/") {
		return parseTypeThenNames(served, args[0], args[1:])
	}
	var targets []target
	for _, arg := range args {
		word, name, ok := strings.Cut(arg, "/")
		if !ok || word == "" || name == "" || strings.Contains(name, "/") {
			return nil, fmt.Errorf("%q is not of the form TYPE/NAME, such as ns/shop", arg)
		}
		t, err := served.resolve(word)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{t, name})
	}
	return targets, nil
}

func parseTypeThenNames(served servedTypes, words string, names []string) ([]target, error) {
	var targets []target
	for _, word := range strings.Split(words, ",") {
		types, err := served.matching(word)
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			if len(names) == 0 {
				targets = append(targets, target{Type: t})
			}
			for _, name := range names {
				if strings.Contains(name, "/") {
					return nil, fmt.Errorf("%q is not a name: write either TYPE NAME or TYPE/NAME", name)
				}
				targets = append(targets, target{t, name})
			}
		}
	}
	return targets, nil
}

// servedTypes are the types of a cluster, in the order of preference.
type servedTypes struct {
	types []stuck.Type
	gaps  []stuck.Gap
}

// matching are the types that a word means: one, or those of a category.
func (s servedTypes) matching(word string) ([]stuck.Type, error) {
	var types []stuck.Type
	for _, t := range cluster.SurveyedTypes(s.types, "") {
		if slices.Contains(t.Categories, word) {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		return types, nil
	}
	t, err := s.resolve(word)
	if err != nil {
		return nil, err
	}
	if !t.Listable {
		return nil, fmt.Errorf("objects of type %s cannot be listed", t)
	}
	return []stuck.Type{t}, nil
}

// resolve is the type that a word means: plural, singular, kind or short name, by
// itself or followed by its group ("deploy.apps") or by version and group. As
// with kubectl, the name of one type comes before the short name of another
// (k8s.io/client-go/restmapper/shortcut.go), and before its kind.
func (s servedTypes) resolve(word string) (stuck.Type, error) {
	name, rest, _ := strings.Cut(strings.ToLower(word), ".")
	for _, named := range []func(stuck.Type, string) bool{byName, byShortName, byKind} {
		for _, t := range s.types {
			if name != "" && named(t, name) && (rest == "" || rest == t.Group || rest == t.Version+"."+t.Group) {
				return t, nil
			}
		}
	}
	hint := "kubectl api-resources lists those it has"
	if len(s.gaps) > 0 {
		hint = fmt.Sprintf("it may be one of %d that could not be discovered, such as %s", len(s.gaps), s.gaps[0].Source)
	}
	return stuck.Type{}, fmt.Errorf("the server has no resource type %q; %s", word, hint)
}

func byName(t stuck.Type, name string) bool { return name == t.Resource || name == t.SingularName }

func byShortName(t stuck.Type, name string) bool { return slices.Contains(t.ShortNames, name) }

func byKind(t stuck.Type, name string) bool { return name == strings.ToLower(t.Kind) }

package cmd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// target is what an argument names: a type, and one object of it or all.
type target struct {
	Type stuck.Type
	// Others are the other types that the argument may mean, where it names an object:
	// several API groups may serve a type of one name.
	Others []stuck.Type
	// builtIn says that Type is one of Kubernetes itself, and that the others have the same
	// name: they matter only if it has no such object.
	builtIn bool
	// qualified says that the argument names the API group too.
	qualified bool
	Name      string // empty means all
}

// types are all types that the argument may mean, in the order of preference.
func (t target) types() []stuck.Type { return append([]stuck.Type{t.Type}, t.Others...) }

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
		types, err := served.resolveAll(word)
		if err != nil {
			return nil, err
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		targets = append(targets, target{Type: types[0], Others: types[1:], builtIn: stuck.IsBuiltInGroup(types[0].Group), qualified: strings.Contains(word, "."), Name: name})
	}
	return targets, nil
}

// checkName refuses a name that would be another path in a request: "..".
func checkName(name string) error {
	if problems := content.IsPathSegmentName(name); len(problems) > 0 {
		return fmt.Errorf("%q is not a name: it %s", name, strings.Join(problems, ", "))
	}
	return nil
}

func parseTypeThenNames(served servedTypes, words string, names []string) ([]target, error) {
	for _, name := range names {
		if strings.Contains(name, "/") {
			return nil, fmt.Errorf("%q is not a name: write either TYPE NAME or TYPE/NAME", name)
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	var targets []target
	for _, word := range strings.Split(words, ",") {
		types, err := served.matching(word)
		if err != nil {
			return nil, err
		}
		builtIn := served.meansBuiltIn(word, types)
		for _, name := range names {
			targets = append(targets, target{Type: types[0], Others: types[1:], builtIn: builtIn, qualified: strings.Contains(word, "."), Name: name})
		}
		if len(names) > 0 {
			continue
		}
		if builtIn {
			types = types[:1]
		}
		for _, t := range types {
			targets = append(targets, target{Type: t})
		}
	}
	return targets, nil
}

// servedTypes are the types of a cluster, in the order of preference.
type servedTypes struct {
	types []stuck.Type
	gaps  []stuck.Gap
}

// category are the types of a category.
func (s servedTypes) category(word string) []stuck.Type {
	return slices.DeleteFunc(cluster.SurveyedTypes(s.types, ""), func(t stuck.Type) bool { return !slices.Contains(t.Categories, word) })
}

// matching are the types that a word may mean and that can be listed: those of a
// category, or those of a name.
func (s servedTypes) matching(word string) ([]stuck.Type, error) {
	if types := s.category(word); len(types) > 0 {
		return types, nil
	}
	types, err := s.resolveAll(word)
	if err != nil {
		return nil, err
	}
	listable := slices.DeleteFunc(slices.Clone(types), func(t stuck.Type) bool { return !t.Listable })
	if len(listable) == 0 {
		return nil, fmt.Errorf("objects of type %s cannot be listed", types[0])
	}
	return listable, nil
}

// meansBuiltIn reports whether a word means a type of Kubernetes itself, whatever other
// types have that name: kubectl takes it for that type, too.
func (s servedTypes) meansBuiltIn(word string, types []stuck.Type) bool {
	return len(s.category(word)) == 0 && stuck.IsBuiltInGroup(types[0].Group)
}

// resolve is the type that a word means first.
func (s servedTypes) resolve(word string) (stuck.Type, error) {
	types, err := s.resolveAll(word)
	if err != nil {
		return stuck.Type{}, err
	}
	return types[0], nil
}

// resolveAll are the types that a word may mean: plural, singular, kind or short
// name, by itself or followed by its group ("deploy.apps") or by version and
// group, which only one type fits. As with kubectl, the name of one type comes
// before the short name of another (k8s.io/client-go/restmapper/shortcut.go),
// and before its kind.
func (s servedTypes) resolveAll(word string) ([]stuck.Type, error) {
	name, rest, _ := strings.Cut(strings.ToLower(word), ".")
	var found []stuck.Type
	for _, named := range []func(stuck.Type, string) bool{byName, byShortName, byKind} {
		for _, t := range s.types {
			fits := name != "" && named(t, name) && (rest == "" || rest == t.Group || rest == t.Version+"."+t.Group)
			if fits && !slices.ContainsFunc(found, func(other stuck.Type) bool { return other.GVR() == t.GVR() }) {
				found = append(found, t)
			}
		}
	}
	switch {
	case len(found) > 0 && strings.Contains(word, "."):
		return found[:1], nil
	case len(found) > 0:
		return found, nil
	}
	missing := fmt.Sprintf("the server doesn't have a resource type %q%s; ", word, didYouMean(s.like(word)))
	if len(s.gaps) > 0 {
		return nil, fmt.Errorf("%sit may be one of %d that could not be discovered, such as %s", missing, len(s.gaps), s.gaps[0].Source)
	}
	return nil, absentError(missing + "kubectl api-resources lists the types of the cluster")
}

func byName(t stuck.Type, name string) bool { return name == t.Resource || name == t.SingularName }

func byShortName(t stuck.Type, name string) bool { return slices.Contains(t.ShortNames, name) }

func byKind(t stuck.Type, name string) bool { return name == strings.ToLower(t.Kind) }

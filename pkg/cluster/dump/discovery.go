package dump

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

//go:embed types.yaml
var builtInTypes []byte

// noDiscovery is the gap of a dump without the discovery of its cluster: there may be types
// that it does not name.
var noDiscovery = stuck.Gap{Source: "the types of the cluster", Error: errNotHeld.Error()}

// aggregatedTypes reads aggregated discovery documents (KEP-3352).
func aggregatedTypes(documents ...[]byte) (types []stuck.Type, gaps []stuck.Gap, err error) {
	known := typeSet{}
	for _, text := range documents {
		raw, err := asJSON(text)
		if err != nil {
			return nil, nil, err
		}
		list := apidiscovery.APIGroupDiscoveryList{}
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, nil, err
		}
		for _, group := range list.Items {
			for _, version := range group.Versions {
				stale := version.Freshness == apidiscovery.DiscoveryFreshnessStale
				if stale {
					gaps = append(gaps, cluster.StaleDiscoveryGap(group.Name, version.Version))
				}
				for _, r := range version.Resources {
					t := stuck.Type{
						Group: group.Name, Version: version.Version, Resource: r.Resource, SingularName: r.SingularResource, ShortNames: r.ShortNames,
						Categories: r.Categories, Namespaced: r.Scope == apidiscovery.ScopeNamespace,
						Listable: slices.Contains(r.Verbs, "list"), Watchable: slices.Contains(r.Verbs, "watch"), Stale: stale,
						Undeletable: r.Scope == apidiscovery.ScopeNamespace && cluster.IsUndeletable(r.Verbs),
					}
					if r.ResponseKind != nil && known.add(t) {
						t.Kind = r.ResponseKind.Kind
						types = append(types, t)
					}
				}
			}
		}
	}
	return types, gaps, nil
}

// resourceLists reads the discovery of each group version (an array of APIResourceList), and takes
// each type in the version that its group prefers.
func resourceLists(lists, groups []byte) ([]stuck.Type, error) {
	var resources []metav1.APIResourceList
	var apiGroups []metav1.APIGroup
	if err := json.Unmarshal(lists, &resources); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(groups, &apiGroups); err != nil {
		return nil, err
	}
	preferred := map[string]bool{}
	for _, g := range apiGroups {
		preferred[g.PreferredVersion.GroupVersion] = true
	}
	var types []stuck.Type
	known := typeSet{}
	for _, wantPreferred := range []bool{true, false} {
		for _, list := range resources {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			if err != nil {
				return nil, err
			}
			for _, r := range list.APIResources {
				t := stuck.Type{
					Group: gv.Group, Version: gv.Version, Resource: r.Name, Kind: r.Kind, SingularName: r.SingularName, ShortNames: r.ShortNames,
					Categories: r.Categories, Namespaced: r.Namespaced, Listable: slices.Contains(r.Verbs, "list"), Watchable: slices.Contains(r.Verbs, "watch"),
					Undeletable: r.Namespaced && cluster.IsUndeletable(r.Verbs),
				}
				if preferred[list.GroupVersion] == wantPreferred && !strings.Contains(r.Name, "/") && known.add(t) {
					types = append(types, t)
				}
			}
		}
	}
	return types, nil
}

// typeSet are types, each in one version.
type typeSet map[schema.GroupResource]bool

// add adds a type, and reports whether it was not in the set before, in any version.
func (s typeSet) add(t stuck.Type) bool {
	known := s[t.GVR().GroupResource()]
	s[t.GVR().GroupResource()] = true
	return !known
}

// asJSON is a document as JSON.
func asJSON(text []byte) ([]byte, error) {
	if isJSON(text) {
		return text, nil
	}
	return yamlToJSON(text)
}

// addTypes completes the types of a dump: without discovery by those of Kubernetes itself and of
// the CustomResourceDefinitions in it, and always by those of its objects. Each object then has
// the number of its type.
func (s *Source) addTypes(l *loader) error {
	if len(s.types) == 0 {
		if err := yaml.Unmarshal(builtInTypes, &s.types); err != nil {
			return fmt.Errorf("reading the built-in types: %w", err)
		}
		s.types = append(s.types, l.definedTypes(s.types)...)
		s.discoveryGaps = append(s.discoveryGaps, noDiscovery)
	}
	numbers := map[schema.GroupKind]int32{}
	s.numbers = map[schema.GroupResource]int32{}
	for i := len(s.types) - 1; i >= 0; i-- {
		numbers[s.types[i].GroupKind()], s.numbers[s.types[i].GVR().GroupResource()] = int32(i), int32(i)
	}
	for i := range l.entries {
		e := &l.entries[i]
		e.typ = -1
		if l.files[e.file].outside {
			continue
		}
		if e.kind < 0 {
			e.typ = s.numberOfFile(l.files[e.file].path)
			continue
		}
		gvk := l.kinds[e.kind]
		number, ok := numbers[gvk.GroupKind()]
		if !ok {
			number = int32(len(s.types))
			t := guessedType(gvk, e.namespace != "")
			numbers[gvk.GroupKind()], s.types = number, append(s.types, t)
			if s.typeNumber(t) < 0 {
				s.numbers[t.GVR().GroupResource()] = number
			}
		}
		e.typ = number
	}
	return nil
}

// numberOfFile is the type of objects that only the name of their file tells, -1 for none.
func (s *Source) numberOfFile(path string) int32 {
	if s.place == nil {
		return -1
	}
	at, ok := s.place(path)
	if !ok {
		return -1
	}
	return s.numberOf(at.resource)
}

// guessedType is the type of an object that nothing else in the dump describes.
func guessedType(gvk schema.GroupVersionKind, namespaced bool) stuck.Type {
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	return stuck.Type{
		Group: gvk.Group, Version: gvk.Version, Resource: plural.Resource, Kind: gvk.Kind, SingularName: singular.Resource, Namespaced: namespaced, Listable: true,
	}
}

// definedTypes are those of the CustomResourceDefinitions in the dump.
func (l *loader) definedTypes(builtIn []stuck.Type) []stuck.Type {
	var types []stuck.Type
	known := typeSet{}
	for _, t := range builtIn {
		known.add(t)
	}
	for _, e := range l.entries {
		if e.kind < 0 || l.kinds[e.kind].GroupKind() != (schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) {
			continue
		}
		content, err := l.store.read(e.location)
		if err != nil {
			continue
		}
		var crd struct {
			Spec struct {
				Group string
				Names struct {
					Plural, Singular, Kind string
					ShortNames, Categories []string
				}
				Scope    string
				Versions []struct {
					Name   string
					Served bool
				}
			}
		}
		if err := json.Unmarshal(content, &crd); err != nil {
			continue
		}
		t := stuck.Type{
			Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural, Kind: crd.Spec.Names.Kind, SingularName: crd.Spec.Names.Singular,
			ShortNames: crd.Spec.Names.ShortNames, Categories: crd.Spec.Names.Categories, Namespaced: crd.Spec.Scope == "Namespaced", Listable: true, Watchable: true,
		}
		for _, v := range crd.Spec.Versions {
			if v.Served && t.Version == "" {
				t.Version = v.Name
			}
		}
		if t.Version != "" && t.Resource != "" && t.Kind != "" && known.add(t) {
			types = append(types, t)
		}
	}
	return types
}

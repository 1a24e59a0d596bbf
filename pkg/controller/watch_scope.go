package controller

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WatchScope is the namespaces that a controller was told to work in.
type WatchScope struct {
	Namespaces []string
	// Source is where it was told.
	Source string
	// IsOwn says that Source names no namespaces: it limits the controller to its own.
	IsOwn bool
	// Extend is the step after which a controller works in another namespace; nil where that is a change of what Source names.
	Extend *stuck.Step
}

// Sources of a scope that is not written in the workload itself.
const (
	// SourceOwnNamespace is the namespace of the Pods, which WATCH_NAMESPACE takes from them.
	SourceOwnNamespace = "WATCH_NAMESPACE, from the namespace of its pods"
	// SourceOperatorGroup is the OperatorGroup of the workload's namespace (OLM).
	SourceOperatorGroup = "the OperatorGroup"
)

// Contains reports whether a namespace is in scope.
func (s WatchScope) Contains(namespace string) bool { return slices.Contains(s.Namespaces, namespace) }

// WatchScopeOf is the scope of a workload that may be the controller of a finalizer, nil where it has none that can be
// read: then it works everywhere.
func WatchScopeOf(w cluster.Workload, c Controller) *WatchScope {
	if scope := scopeOfComponent(w, c); scope != nil {
		return scope
	}
	return scopeByConvention(w)
}

// scopeOfComponent is the scope of a workload by what the catalog says of its component.
func scopeOfComponent(w cluster.Workload, c Controller) *WatchScope {
	match := c.CatalogMatch
	if len(match.Entries) != 1 || match.OtherType || !isComponent(w, match.Entries[0].Component) {
		return nil
	}
	entry := match.Entry(c.Object.Namespace, c.Object.Name)
	container, ok := MainContainer(w, entry.Component)
	for _, known := range entry.Component.Scope {
		var scope *WatchScope
		switch {
		case known.OwnNamespace:
			scope = &WatchScope{Namespaces: []string{w.Namespace}, Source: known.String()}
		case ok:
			scope = scopeFromSetting(w, container, known)
		}
		if scope != nil {
			scope.Extend = known.Extend
			return scope
		}
	}
	return nil
}

// scopeFromSetting is the scope that a flag or an environment variable of a container tells. A switch names no namespace.
func scopeFromSetting(w cluster.Workload, c corev1.Container, known catalog.Scope) *WatchScope {
	isFlag := func(word string) bool { return known.Flag != "" && strings.HasPrefix(word+"=", known.Flag+"=") }
	words := slices.Concat(c.Command, c.Args)
	if first := slices.IndexFunc(words, isFlag); first >= 0 && slices.ContainsFunc(words[first+1:], isFlag) {
		return nil // some controllers take all of several flags, others the last
	}
	value, state := settingIn(c, catalog.Setting{Flag: known.Flag, Env: known.Env, Values: []string{"<namespaces>"}})
	switch {
	case state == settingUnknown || state == settingSet && value == "":
		return nil
	case known.MeansOwn(value):
		return &WatchScope{Namespaces: []string{w.Namespace}, Source: known.String(), IsOwn: true}
	case value == "true" || value == "false":
		return nil
	}
	return parseScope(value, known.String())
}

// scopeByConvention is the scope by the names that many controllers use.
func scopeByConvention(w cluster.Workload) *WatchScope {
	for _, c := range w.PodTemplate.Spec.Containers {
		for _, env := range c.Env {
			// WATCH_NAMESPACE is the convention of the Operator SDK.
			if (env.Name == "WATCH_NAMESPACE" || env.Name == "WATCH_NAMESPACES") && env.ValueFrom == nil && env.Value != "" {
				return parseScope(env.Value, env.Name)
			}
			if env.Name == "WATCH_NAMESPACE" && env.ValueFrom != nil && env.ValueFrom.FieldRef != nil {
				return scopeFromField(w, env.ValueFrom.FieldRef.FieldPath)
			}
		}
		for _, arg := range slices.Concat(c.Command, c.Args) {
			for _, flag := range []string{"--watch-namespace=", "--watch-namespaces=", "--namespaces="} {
				if value, ok := strings.CutPrefix(arg, flag); ok && value != "" {
					return parseScope(value, strings.TrimSuffix(flag, "="))
				}
			}
		}
	}
	return nil
}

// scopeFromField is the scope that is taken from the Pod itself: its own namespace,
// or the OperatorGroup's, which OLM writes into an annotation.
func scopeFromField(w cluster.Workload, path string) *WatchScope {
	switch path {
	case "metadata.namespace":
		return &WatchScope{Namespaces: []string{w.Namespace}, Source: SourceOwnNamespace}
	case "metadata.annotations['olm.targetNamespaces']":
		if value := w.PodTemplate.Annotations["olm.targetNamespaces"]; value != "" {
			return parseScope(value, SourceOperatorGroup)
		}
	}
	return nil
}

// parseScope is the scope that a list of namespaces means. What is no plain name,
// such as "*", a pattern or a variable, may mean any namespace.
func parseScope(list, from string) *WatchScope {
	namespaces := splitNamespaces(list)
	if len(namespaces) == 0 || slices.ContainsFunc(namespaces, func(n string) bool { return !isNamespaceName(n) }) {
		return nil
	}
	return &WatchScope{Namespaces: namespaces, Source: from}
}

func splitNamespaces(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// discountOtherNamespaces discounts, where a workload is known to work in the namespace of the object, those that are known to work in
// other namespaces only: several installations of one controller may share a cluster.
func discountOtherNamespaces(s *search) {
	namespace := s.controller.Object.Namespace
	var inScope bool
	var elsewhere []*Candidate
	for _, c := range s.candidates {
		switch scope := WatchScopeOf(c.Workload, s.controller); {
		case namespace == "" || scope == nil:
		case scope.Contains(namespace):
			inScope = inScope || c.weight >= weightStrong
		default:
			elsewhere = append(elsewhere, c)
		}
	}
	if !inScope {
		return
	}
	slices.SortFunc(elsewhere, func(a, b *Candidate) int { return strings.Compare(a.RefInNamespace(), b.RefInNamespace()) })
	for _, c := range elsewhere {
		delete(s.candidates, c.UID)
		s.addFact("%s works in other namespaces only", c.RefInNamespace())
	}
}

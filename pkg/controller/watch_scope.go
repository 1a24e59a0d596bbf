package controller

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// WatchScope is the namespaces that a controller was told to work in.
type WatchScope struct {
	Namespaces []string
	// Source is where it was told.
	Source string
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

// WatchScopeOf is the scope of a workload, nil where it has none that can be read:
// then it works everywhere.
func WatchScopeOf(w cluster.Workload) *WatchScope {
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
